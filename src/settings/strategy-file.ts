/** What a person may write in a strategy file: which parts a context has, and which of them go first. */
import { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';
import { KEYS, matching, text, whole } from './schema-fields.ts';
import { CONTEXT_DIFFS, list, roleName, tokenBudget, unwanted, wanted } from './role-file.ts';

export const STRATEGY_INPUTS = ['target', 'plan', 'git_diff'] as const;
export type StrategyInput = (typeof STRATEGY_INPUTS)[number];

const input = z.enum(STRATEGY_INPUTS, { error: `one of ${STRATEGY_INPUTS.join(', ')}` });
const part = matching(/^[a-z][a-z0-9_]{0,31}$/, 'a name of small letters, digits and _');
const yes = z.boolean({ error: 'true or false' });

const common = {
  part: part.describe('The part that it fills; required.'),
  if: input.optional().describe('Only when this input is there.'),
  prepend: yes.optional().describe('Whether it stands before the other parts. Default: false.'),
};

const Pack = z.strictObject(
  {
    ...common,
    include: list(wanted, 200, 'files').describe('Files: paths, patterns or tokens.'),
    exclude: list(unwanted, 200, 'files').describe('Files that this step leaves to others.'),
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
      .describe('Which changes. Default: git diff HEAD.'),
  },
  KEYS,
);

const Tree = z.strictObject(
  {
    ...common,
    depth: whole(1, 20).prefault(4).describe('How many folders deep. Default: 4.'),
  },
  KEYS,
);

const Command = z.strictObject(
  {
    ...common,
    run: text(1, 2000, 'a command line').describe(
      'What is run, in a sandbox without a network; required.',
    ),
    gives: z
      .enum(['text', 'files'], { error: 'one of text, files' })
      .prefault('text')
      .describe('Whether its output is packed, or names files to pack, one a line. Default: text.'),
  },
  KEYS,
);

const Plain = z.strictObject(common, KEYS);

const STEPS = {
  pack: Pack.optional().describe('Packs files.'),
  diff: Diff.optional().describe('Packs changes, one piece a file.'),
  changes: Plain.optional().describe('Lists what is staged, with the hashes before and after.'),
  changed_files: Plain.optional().describe('Packs each staged file as a whole, as it is staged.'),
  plan: Plain.optional().describe('Packs the plan that the step carries out.'),
  tree: Tree.optional().describe('Lists the files of the project.'),
  command: Command.optional().describe('Packs what a command says.'),
};

const Step = z
  .strictObject(STEPS, KEYS)
  .refine((step) => Object.values(step).filter((one) => one !== undefined).length === 1, {
    error: `one of ${Object.keys(STEPS).join(', ')}`,
  });

export const StrategyFile = z.strictObject(
  {
    name: roleName.optional().describe('The name of the strategy; it must be that of the file.'),
    description: text(1, 500, 'text of 1 to 500 characters').describe('One sentence; required.'),
    inputs: z
      .strictObject(
        {
          required: list(input, 10, 'inputs').describe('What must be given.'),
          optional: list(input, 10, 'inputs').describe('What may be given.'),
        },
        KEYS,
      )
      .prefault({})
      .describe('What the strategy works from.'),
    algorithm: list(Step, 50, 'steps').describe('The parts, in the order in which they are shown.'),
    token_budget: tokenBudget.optional().describe('For roles that do not say themselves.'),
    priority_order: list(part, 50, 'parts').describe(
      'What matters most first; the last is dropped first.',
    ),
    keep: list(part, 50, 'parts').describe(
      'Parts without which there is no point; if they do not fit, it is refused.',
    ),
  },
  KEYS,
);
export type StrategyFile = z.infer<typeof StrategyFile>;

export function strategyFileJsonSchema(): JsonSchema {
  return z.toJSONSchema(StrategyFile, { io: 'input' }) as JsonSchema;
}
