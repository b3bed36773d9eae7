/** Strategies define how a context is built. They come from files, or from the role itself. */
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { CONTEXT_DIFFS } from '../settings/role-file.ts';
import type { ContextDiff } from '../settings/role-file.ts';
import { StrategyFile, strategyFileJsonSchema } from '../settings/strategy-file.ts';
import type { StrategyInput } from '../settings/strategy-file.ts';
import { COMMUNITY_FOLDER, PROJECT_FOLDER } from '../trust/project-folder.ts';
import type { TrustedProject } from '../trust/trusted-project.ts';
import { schemaFaults } from '../yaml/schema-faults.ts';
import { quote, yamlRefusal } from '../yaml/problem.ts';
import { TEXT_BYTES_MAX } from '../yaml/read-yaml.ts';
import { readYamlFile } from '../yaml/read-yaml-file.ts';
import { toValue, withoutNulls } from '../yaml/yaml-tree.ts';

type Common = {
  readonly part: string;
  readonly if?: StrategyInput | undefined;
  readonly prepend: boolean;
};
export type Step = Common &
  (
    | {
        readonly kind: 'pack';
        readonly include: readonly string[];
        readonly exclude: readonly string[];
      }
    | { readonly kind: 'diff'; readonly of: ContextDiff }
    | { readonly kind: 'changes' | 'changed-files' | 'plan' }
    | { readonly kind: 'tree'; readonly depth: number }
    | { readonly kind: 'command'; readonly run: string; readonly gives: 'text' | 'files' }
  );

export type ContextStrategy = {
  readonly name: string;
  readonly required: readonly StrategyInput[];
  readonly steps: readonly Step[];
  readonly tokenBudget: number | undefined;
  readonly priorityOrder: readonly string[];
  readonly keep: readonly string[];
};

/** All parts, the most important first. Parts that a strategy does not rank follow in this order. */
export const PART_ORDER: readonly string[] = [
  'system_prompt task frame target_file plan changes git_diff changed_files always imports related tree',
].flatMap((names) => names.split(' '));

/** For a role without a strategy, which has only its own lists. */
export const PLAIN_STRATEGY: ContextStrategy = {
  name: 'plain',
  required: [],
  steps: [],
  tokenBudget: undefined,
  priorityOrder: [],
  keep: ['target_file'],
};

export type StrategyPorts = {
  readonly read: (path: string, bytesMax: number) => Promise<string | undefined>;
  /** The last committed text of a file of the project. */
  readonly committed: (path: string) => Promise<string | undefined>;
};

export type StrategyFolders = {
  readonly home: string;
  readonly project?: TrustedProject;
  readonly packageData: string;
};

const INVALID = {
  code: 'strategy.invalid',
  hint: 'Fix the file. `supervisor schema strategy` prints all known keys.',
} as const;

export async function loadStrategy(
  name: string,
  { home, project, packageData }: StrategyFolders,
  { read, committed }: StrategyPorts,
): Promise<ContextStrategy> {
  const own = join(PROJECT_FOLDER, 'strategies', `${name}.yaml`);
  const places = [
    ...(project === undefined ? [] : [join(project.root, own)]),
    join(home, 'strategies', `${name}.yaml`),
    join(packageData, 'context_strategies', `${name}.yaml`),
    join(home, COMMUNITY_FOLDER, 'strategies', `${name}.yaml`),
  ];
  for (const [index, file] of places.entries()) {
    const text = await read(file, TEXT_BYTES_MAX);
    if (text === undefined) continue;
    const strategy = parseStrategy(name, file, text);
    const isProjects = project !== undefined && index === 0;
    const runs = strategy.steps.some(({ kind }) => kind === 'command');
    // An agent can write to the project, so commands are taken only from a committed file.
    if (isProjects && runs && (await committed(own)) !== text)
      throw new Refusal({
        code: 'strategy.invalid',
        message: `${file}: a strategy of a project that runs commands must be committed without changes`,
        hint: 'Review the file, commit it, and try again.',
        details: { file },
      });
    return strategy;
  }
  throw new Refusal({
    code: 'strategy.not-found',
    message: `There is no strategy ${quote(name)}.`,
    hint: `Supervisor looks for it in ${places.join(', ')}.`,
    details: { strategy: name },
  });
}

export function parseStrategy(name: string, file: string, text: string): ContextStrategy {
  const { tree, problems } = readYamlFile(text, file);
  if (problems.length > 0) throw yamlRefusal(problems, INVALID);
  const values = withoutNulls(tree);
  const result = StrategyFile.safeParse(toValue(values));
  if (!result.success)
    throw yamlRefusal(schemaFaults(values, result.error.issues, strategyFileJsonSchema()), INVALID);
  const written = result.data;
  if (written.name !== undefined && written.name !== name) {
    const message = `name: expected ${quote(name)}, the name of the file`;
    throw yamlRefusal([{ place: values.place, key: 'name', message }], INVALID);
  }
  return {
    name,
    required: written.inputs.required,
    steps: written.algorithm.map(toStep),
    tokenBudget: written.token_budget,
    priorityOrder: written.priority_order,
    keep: written.keep,
  };
}

function toStep(written: StrategyFile['algorithm'][number]): Step {
  const { pack, diff, changes, changed_files, plan, tree, command } = written;
  if (pack !== undefined)
    return { ...common(pack), kind: 'pack', include: pack.include, exclude: pack.exclude };
  if (diff !== undefined) return { ...common(diff), kind: 'diff', of: diff.of };
  if (changes !== undefined) return { ...common(changes), kind: 'changes' };
  if (changed_files !== undefined) return { ...common(changed_files), kind: 'changed-files' };
  if (plan !== undefined) return { ...common(plan), kind: 'plan' };
  if (tree !== undefined) return { ...common(tree), kind: 'tree', depth: tree.depth };
  if (command === undefined) throw new Error('a step without a kind'); // the schema has refused it
  const diffCommand = CONTEXT_DIFFS.find((one) => one === command.run.trim());
  return diffCommand === undefined
    ? { ...common(command), kind: 'command', run: command.run, gives: command.gives }
    : { ...common(command), kind: 'diff', of: diffCommand }; // no sandbox is needed to read a diff
}

function common(one: {
  readonly part: string;
  readonly if?: StrategyInput | undefined;
  readonly prepend?: boolean | undefined;
}): Common {
  return { part: one.part, if: one.if, prepend: one.prepend ?? false };
}
