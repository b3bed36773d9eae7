/**
 * Schema of a role file. Every key is optional, because a role that extends another sets only what
 * differs. `src/roles/` merges the files.
 */
import { z } from 'zod';
import { ANSWER_KINDS } from '../protocol/answer.ts';
import { agentId } from './agent-config.ts';
import type { JsonSchema } from './json-schema.ts';
import { KEYS, duration, matching, text, whole } from './schema-fields.ts';

/** Placeholders for files that depend on the task. */
export const CONTEXT_TOKENS = [
  '$TARGET',
  '$TARGET_IMPORTS',
  '$INTERFACE_DEFINITIONS',
  '$COMPONENT_PUBLIC_API',
  '$IMPLEMENTATION_INTERNALS',
] as const;
export type ContextToken = (typeof CONTEXT_TOKENS)[number];

/** Accepted in place of a file: these pack changes. */
export const CONTEXT_DIFFS = ['git diff --cached', 'git diff HEAD', 'git diff'] as const;
export type ContextDiff = (typeof CONTEXT_DIFFS)[number];

const TOKEN_BUDGET_MAX = 50_000;
export const TOKEN_BUDGET_DEFAULT = 20_000;
export const tokenBudget = whole(500, TOKEN_BUDGET_MAX);

export const roleName = matching(
  /^[a-z][a-z0-9_-]{0,63}$/,
  'a name of up to 64 lowercase letters, digits, _ and - that starts with a letter',
);
/** Separate from the schema, because the name of a role is its file name. */
export function isRoleName(name: string): boolean {
  return roleName.safeParse(name).success;
}

const PATTERN = 'a path or pattern inside the project, such as src/**/*.ts';

/** Relative, with forward slashes, inside the project. */
const PATH = String.raw`(?![$/]|git )(?!(?:.*/)?\.\.(?:/|$))[^\0\n\\]{1,500}`;
const SHOWN_TOKENS = CONTEXT_TOKENS.filter((token) => token !== '$IMPLEMENTATION_INTERNALS');
const SHOWN = SHOWN_TOKENS.map((token) => `\\${token}`).join('|');
const WANTED = `${PATTERN}, or one of ${[...SHOWN_TOKENS, ...CONTEXT_DIFFS.map((diff) => `"${diff}"`)].join(', ')}`;
const HIDDEN = String.raw`\$TARGET|\$IMPLEMENTATION_INTERNALS`;
const DIFF = CONTEXT_DIFFS.join('|');

export const wanted = matching(new RegExp(`^(?:${SHOWN}|${DIFF}|${PATH})$`), WANTED);
export const unwanted = matching(
  new RegExp(`^(?:${HIDDEN}|${PATH})$`),
  `${PATTERN}, or one of $TARGET, $IMPLEMENTATION_INTERNALS`,
);

type List<Item extends z.ZodType> = z.ZodPrefault<z.ZodArray<Item>>;

export function list<Item extends z.ZodType>(item: Item, max: number, what: string): List<Item> {
  const items = z.array(item, { error: `a list of ${what}` });
  const none: z.input<z.ZodArray<Item>> = [];
  return items.max(max, { error: `a list of up to ${max} ${what}` }).prefault(none);
}

const line = text(1, 500, 'text of 1 to 500 characters');
const prose = text(1, 20_000, 'text of 1 to 20000 characters');

const Context = z.strictObject(
  {
    strategy: roleName
      .optional()
      .describe('The strategy that selects what is packed. Default: only the files below.'),
    include: list(wanted, 200, 'files').describe(
      'Files to pack: paths, patterns, tokens such as $TARGET, or "git diff --cached".',
    ),
    always_include: list(wanted, 200, 'files').describe(
      'Files that are packed before those of include, even if the token budget is tight.',
    ),
    exclude: list(unwanted, 200, 'files').describe('Files that are never packed.'),
    git_diff: z
      .boolean({ error: 'true or false' })
      .optional()
      .describe('Whether changes since the last commit are packed too. Default: false.'),
    blind: z
      .boolean({ error: 'true or false' })
      .optional()
      .describe('Whether only the public interface of source files is packed. Default: false.'),
    token_budget: tokenBudget
      .optional()
      .describe(
        `The maximum number of tokens of the whole prompt. Default: the strategy's, else ${TOKEN_BUDGET_DEFAULT}.`,
      ),
  },
  KEYS,
);

const Gate = z.strictObject(
  {
    name: roleName.describe('The name of the gate; required.'),
    command: text(1, 2000, 'a command line').describe(
      'The command line, run in the sandbox; required.',
    ),
    on_fail: z
      .enum(['block', 'retry', 'warn', 'ask'], { error: 'one of block, retry, warn, ask' })
      .prefault('block')
      .describe(
        'What happens on failure: block ends the run as blocked, retry lets the agent fix it, warn only reports it, ask lets you decide. Default: block.',
      ),
  },
  KEYS,
);

/** One role file without notes (`x-*`) and nulls, or all files of a role merged. */
export const RoleFile = z.strictObject(
  {
    name: roleName.optional().describe('The name of the role; it must match the file name.'),
    extends: roleName
      .optional()
      .describe('The role that this role extends. Its own name means the role that it overrides.'),
    description: line.optional().describe('One sentence about the role.'),
    cli: agentId
      .optional()
      .describe('A CLI, or the id of one of your agents. Default: the default agent.'),
    flags: list(text(1, 8192, 'text'), 100, 'texts').describe('Additional arguments for that CLI.'),
    template: matching(/^[a-z_][a-z0-9_-]{0,63}(\.j2)?$/, 'the name of a template')
      .optional()
      .describe('The prompt template. Default: _base.'),
    answer: z
      .enum(ANSWER_KINDS, { error: `one of ${ANSWER_KINDS.join(', ')}` })
      .prefault('generic')
      .describe('The schema of the answer. Default: generic.'),
    system_prompt: prose
      .optional()
      .describe('Instructions. They follow those of the extended role.'),
    system_prompt_additions: prose.optional().describe('More instructions, after system_prompt.'),
    context: Context.prefault({}).describe('What the role sees of the project.'),
    allowed_tools: list(line, 100, 'tools').describe(
      'The only tools that it can use. Default: all tools of its CLI.',
    ),
    gates: list(Gate, 50, 'gates').describe('Checks of its work. The agent cannot change them.'),
    strengths: list(line, 50, 'texts').describe(
      'What the role is good at. Helps to choose a role.',
    ),
    deadline: duration('1s', '30d')
      .optional()
      .describe(
        'How long one attempt of this role may take before it is asked to exit. Default: attempt.deadline.',
      ),
    config: z
      .record(z.string(), z.unknown(), KEYS)
      .prefault({})
      .describe('Values for your own templates and tools.'),
  },
  KEYS,
);
export type RoleFile = z.infer<typeof RoleFile>;

export function roleFileJsonSchema(): JsonSchema {
  return z.toJSONSchema(RoleFile, { io: 'input' }) as JsonSchema;
}
