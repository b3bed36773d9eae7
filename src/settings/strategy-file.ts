/** Schema of a strategy file: which parts a context has, and which of them have priority. */
import { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';
import { KEYS, matching, text, whole } from './schema-fields.ts';
import { CONTEXT_DIFFS, list, roleName, tokenBudget, unwanted, wanted } from './role-file.ts';

const STRATEGY_INPUTS = ['target', 'plan', 'git_diff'] as const;
export type StrategyInput = (typeof STRATEGY_INPUTS)[number];

const input = z.enum(STRATEGY_INPUTS, { error: `one of ${STRATEGY_INPUTS.join(', ')}` });
const part = matching(/^[a-z][a-z0-9_]{0,31}$/, 'a name of lowercase letters, digits and _');
const yes = z.boolean({ error: 'true or false' });

const common = {
  part: part.describe('The part of the context that this step fills; required.'),
  if: input.optional().describe('Run this step only if this input is given.'),
  prepend: yes
    .optional()
    .describe('Whether the part comes before the other parts. Default: false.'),
};

const Pack = z.strictObject(
  {
    ...common,
    include: list(wanted, 200, 'files').describe('Files to pack: paths, patterns or tokens.'),
    exclude: list(unwanted, 200, 'files').describe('Files that this step leaves to other steps.'),
    style: z.literal('xml', { error: 'xml' }).optional().describe('How files are marked: xml.'),
  },
  KEYS,
);

const Diff = z.strictObject(
  {
    ...common,
    of: z
      .enum(CONTEXT_DIFFS, { error: `one of ${CONTEXT_DIFFS.join(', ')}` })
      .prefault('git diff HEAD')
      .describe('Which changes to pack. Default: git diff HEAD.'),
  },
  KEYS,
);

const Tree = z.strictObject(
  {
    ...common,
    depth: whole(1, 20).prefault(4).describe('How many levels of folders to list. Default: 4.'),
  },
  KEYS,
);

const Command = z.strictObject(
  {
    ...common,
    run: text(1, 2000, 'a command line').describe(
      'The command line, run in a sandbox without a network; required.',
    ),
    gives: z
      .enum(['text', 'files'], { error: 'one of text, files' })
      .prefault('text')
      .describe(
        'Whether the output is packed as text, or lists files to pack, one per line. Default: text.',
      ),
  },
  KEYS,
);

const Plain = z.strictObject(common, KEYS);

const STEPS = {
  pack: Pack.optional().describe('Packs files.'),
  diff: Diff.optional().describe('Packs changes, one fragment per file.'),
  changes: Plain.optional().describe('Lists staged files with their hashes before and after.'),
  changed_files: Plain.optional().describe('Packs the whole staged version of each staged file.'),
  plan: Plain.optional().describe('Packs the plan to implement.'),
  tree: Tree.optional().describe('Lists the files of the project.'),
  command: Command.optional().describe('Packs the output of a command.'),
};

const Step = z
  .strictObject(STEPS, KEYS)
  .refine((step) => Object.values(step).filter((one) => one !== undefined).length === 1, {
    error: `one of ${Object.keys(STEPS).join(', ')}`,
  });

export const StrategyFile = z.strictObject(
  {
    name: roleName.optional().describe('The name of the strategy; it must match the file name.'),
    description: text(1, 500, 'text of 1 to 500 characters').describe('One sentence; required.'),
    inputs: z
      .strictObject(
        {
          required: list(input, 10, 'inputs').describe('Inputs that must be given.'),
          optional: list(input, 10, 'inputs').describe('Inputs that may be given.'),
        },
        KEYS,
      )
      .prefault({})
      .describe('The inputs of the strategy.'),
    algorithm: list(Step, 50, 'steps').describe(
      'The steps. They fill the parts in the order of the prompt.',
    ),
    token_budget: tokenBudget.optional().describe('The token budget of roles that set none.'),
    priority_order: list(part, 50, 'parts').describe(
      'Parts from the most to the least important. The last is dropped first.',
    ),
    keep: list(part, 50, 'parts').describe(
      'Parts that are required. If they do not fit the token budget, the run is refused.',
    ),
  },
  KEYS,
);
export type StrategyFile = z.infer<typeof StrategyFile>;

export function strategyFileJsonSchema(): JsonSchema {
  return z.toJSONSchema(StrategyFile, { io: 'input' }) as JsonSchema;
}
