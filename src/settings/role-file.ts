/**
 * What a person may write in a role file. Every key is optional, since a role that extends another
 * says only what differs; `src/roles/` lays the files over one another.
 */
import { z } from 'zod';
import { ANSWER_KINDS } from '../protocol/answer.ts';
import { agentId } from './agent-config.ts';
import type { JsonSchema } from './json-schema.ts';
import { KEYS, matching, text, whole } from './schema-fields.ts';

/** Stand for files that are known only when a task is: see the guide. */
export const CONTEXT_TOKENS = [
  '$TARGET',
  '$TARGET_IMPORTS',
  '$INTERFACE_DEFINITIONS',
  '$COMPONENT_PUBLIC_API',
  '$IMPLEMENTATION_INTERNALS',
] as const;
export type ContextToken = (typeof CONTEXT_TOKENS)[number];

/** Where files are asked for, these words ask for changes instead. */
export const CONTEXT_DIFFS = ['git diff --cached', 'git diff HEAD', 'git diff'] as const;
export type ContextDiff = (typeof CONTEXT_DIFFS)[number];

const TOKEN_BUDGET_MAX = 50_000;
export const TOKEN_BUDGET_DEFAULT = 20_000;
export const tokenBudget = whole(500, TOKEN_BUDGET_MAX);
const TURNS_MAX = 3;

export const roleName = matching(
  /^[a-z][a-z0-9_-]{0,63}$/,
  'a name of up to 64 small letters, digits, _ and - that begins with a letter',
);
/** Kept apart from the schema: a role's name is the name of its file. */
export function isRoleName(name: string): boolean {
  return roleName.safeParse(name).success;
}

const PATTERN = 'a path or pattern inside the project, such as src/**/*.ts';

/** Relative, with forward slashes, never out of the project. */
const PATH = String.raw`(?![$/]|git )(?!(?:.*/)?\.\.(?:/|$))[^\0\n\\]{1,500}`;
const SHOWN_TOKENS = CONTEXT_TOKENS.filter((token) => token !== '$IMPLEMENTATION_INTERNALS');
const SHOWN = SHOWN_TOKENS.map((token) => `\\${token}`).join('|');
const WORDS = `${PATTERN}, or one of ${[...SHOWN_TOKENS, ...CONTEXT_DIFFS.map((diff) => `"${diff}"`)].join(', ')}`;
const HIDDEN = String.raw`\$TARGET|\$IMPLEMENTATION_INTERNALS`;
const DIFF = CONTEXT_DIFFS.join('|');

export const wanted = matching(new RegExp(`^(?:${SHOWN}|${DIFF}|${PATH})$`), WORDS);
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
      .describe('The strategy that chooses what is packed. Default: the files below alone.'),
    include: list(wanted, 200, 'files').describe(
      'Files to pack: paths, patterns, tokens such as $TARGET, or "git diff --cached".',
    ),
    always_include: list(wanted, 200, 'files').describe(
      'Files to pack before those of include, also when room is short.',
    ),
    exclude: list(unwanted, 200, 'files').describe('Files never to pack, whoever asks for them.'),
    git_diff: z
      .boolean({ error: 'true or false' })
      .optional()
      .describe('Whether the changes since the last commit are packed too. Default: false.'),
    blind: z
      .boolean({ error: 'true or false' })
      .optional()
      .describe('Whether source files show their public interface only. Default: false.'),
    token_budget: tokenBudget
      .optional()
      .describe(
        `How many tokens the whole prompt may have. Default: the strategy's, else ${TOKEN_BUDGET_DEFAULT}.`,
      ),
  },
  KEYS,
);

const Gate = z.strictObject(
  {
    name: roleName.describe('The name of the gate; required.'),
    command: text(1, 2000, 'a command line').describe('What it runs, in the sandbox; required.'),
    on_fail: z
      .enum(['block', 'retry', 'warn'], { error: 'one of block, retry, warn' })
      .prefault('block')
      .describe(
        'What a failure does: block ends the run as blocked, retry lets the agent fix it, warn only says it. Default: block.',
      ),
  },
  KEYS,
);

/** One role file, after notes (`x-*`) and nulls have been taken out; also all files of a role merged. */
export const RoleFile = z
  .strictObject(
    {
      name: roleName.optional().describe('The name of the role; it must be that of the file.'),
      extends: roleName
        .optional()
        .describe('The role that this one is laid over; its own name means the one it hides.'),
      description: line.optional().describe('One sentence about the role.'),
      cli: agentId
        .optional()
        .describe('A CLI or the id of an agent of yours. Default: the default agent.'),
      flags: list(text(1, 8192, 'text'), 100, 'texts').describe(
        'Further arguments for that CLI, one an item.',
      ),
      template: matching(/^[a-z_][a-z0-9_-]{0,63}(\.j2)?$/, 'the name of a template')
        .optional()
        .describe('The prompt template. Default: _base.'),
      answer: z
        .enum(ANSWER_KINDS, { error: `one of ${ANSWER_KINDS.join(', ')}` })
        .prefault('generic')
        .describe('The schema of the answer. Default: generic.'),
      system_prompt: prose.optional().describe('Instructions; they follow those of the parent.'),
      system_prompt_additions: prose.optional().describe('More instructions, after system_prompt.'),
      context: Context.prefault({}).describe('What the role sees.'),
      allowed_tools: list(line, 100, 'tools').describe(
        'The only tools it may use. Default: all that its CLI allows.',
      ),
      gates: list(Gate, 50, 'gates').describe('Checks of its work, run outside its reach.'),
      strengths: list(line, 50, 'texts').describe('What it is good at, for choosing a role.'),
      continuation_turns: whole(0, TURNS_MAX)
        .prefault(0)
        .describe(
          'How many times one conversation may be taken up again. Default: 0, always fresh.',
        ),
      config: z
        .record(z.string(), z.unknown(), KEYS)
        .prefault({})
        .describe('Values for templates and tools of your own.'),
    },
    KEYS,
  )
  .refine(({ answer, continuation_turns: turns }) => answer !== 'implementation' || turns === 0, {
    path: ['continuation_turns'],
    error: '0: an implementation is always made in a fresh conversation',
  });
export type RoleFile = z.infer<typeof RoleFile>;

export function roleFileJsonSchema(): JsonSchema {
  return z.toJSONSchema(RoleFile, { io: 'input' }) as JsonSchema;
}
