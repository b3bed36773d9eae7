/** Turns a role, its strategy and a task into the fragments that may be packed. Files are not loaded yet. */
import { plural } from '../base/text.ts';
import { Refusal } from '../base/errors.ts';
import { CONTEXT_DIFFS } from '../settings/role-file.ts';
import type { ContextDiff } from '../settings/role-file.ts';
import type { StrategyInput } from '../settings/strategy-file.ts';
import { changedFileFragments, changesFragment, diffFragments } from './change-fragments.ts';
import { fileFragment, textFragment } from './file-fragments.ts';
import { PART_ORDER } from './strategy.ts';
import type { Step, ContextStrategy } from './strategy.ts';
import type { Fragment } from './fragment.ts';
import type { ProjectView } from './project-view.ts';
import { Selection } from './selection.ts';

/** The context settings of a role; `Role.context` is one. */
export type ContextRequest = {
  readonly include: readonly string[];
  readonly alwaysInclude: readonly string[];
  readonly exclude: readonly string[];
  readonly gitDiff: boolean;
  readonly blind: boolean;
};

export type GatherOptions = {
  readonly view: ProjectView;
  readonly request: ContextRequest;
  readonly strategy: ContextStrategy;
  /** Files, folders or patterns of the project. */
  readonly targets: readonly string[];
  readonly plan?: string;
  /** Runs a command of a strategy without a network and returns its output. If absent, commands are refused. */
  readonly runCommand?: (command: string) => Promise<string>;
};

export type Gathered = {
  readonly pieces: readonly Fragment[];
  readonly order: readonly string[];
  readonly keep: readonly string[];
  /** The files that the targets match. */
  readonly targets: readonly string[];
};

export async function gather(options: GatherOptions): Promise<Gathered> {
  const { view, request, strategy, targets, plan } = options;
  const selection = new Selection(view, targets, request.exclude);
  const given = new Set<StrategyInput>([
    ...(targets.length > 0 ? (['target'] as const) : []),
    ...(plan !== undefined ? (['plan'] as const) : []),
    ...(request.gitDiff ? (['git_diff'] as const) : []),
  ]);
  const missing = strategy.required.find((input) => !given.has(input));
  if (missing !== undefined) throw needs(strategy.name, missing);

  const steps = [...ownSteps(request, strategy, plan), ...strategy.steps].filter(
    (step) => step.if === undefined || given.has(step.if),
  );
  const shown = [
    ...steps.filter(({ prepend }) => prepend),
    ...steps.filter(({ prepend }) => !prepend),
  ];
  const pieces: Fragment[] = [];
  for (const step of shown) pieces.push(...(await loadStep(step, options, selection)));
  const order = [...strategy.priorityOrder, ...PART_ORDER];
  return { pieces, order, keep: strategy.keep, targets: selection.targets };
}

/** The steps of the role itself, and those that its strategy lacks. */
function ownSteps(
  request: ContextRequest,
  { steps }: ContextStrategy,
  plan: string | undefined,
): readonly Step[] {
  const own = [
    ...stepsFor('always', request.alwaysInclude),
    ...request.include.flatMap((one) => stepsFor(PART_OF[one] ?? 'related', [one])),
  ];
  const lacks = (wanted: Step['kind']): boolean =>
    ![...steps, ...own].some(({ kind }) => kind === wanted);
  if (request.gitDiff && lacks('diff'))
    own.unshift({ kind: 'diff', part: 'git_diff', of: 'git diff HEAD', prepend: true });
  if (plan !== undefined && lacks('plan'))
    own.unshift({ kind: 'plan', part: 'plan', prepend: true });
  return own;
}

const PART_OF: Readonly<Record<string, string>> = {
  $TARGET: 'target_file',
  $COMPONENT_PUBLIC_API: 'target_file',
  $TARGET_IMPORTS: 'imports',
};

function stepsFor(part: string, include: readonly string[]): readonly Step[] {
  const files = include.filter((one) => asDiff(one) === undefined);
  const diffs = include.map(asDiff).filter((one) => one !== undefined);
  return [
    ...diffs.map((of): Step => ({ kind: 'diff', part: 'git_diff', of, prepend: false })),
    ...(files.length === 0
      ? []
      : [{ kind: 'pack', part, include: files, exclude: [], prepend: false } as const]),
  ];
}

function asDiff(word: string): ContextDiff | undefined {
  return CONTEXT_DIFFS.find((one) => one === word);
}

async function loadStep(
  step: Step,
  { view, request: { blind }, plan, runCommand, strategy }: GatherOptions,
  selection: Selection,
): Promise<readonly Fragment[]> {
  const { part } = step;
  switch (step.kind) {
    case 'pack': {
      const wanted = await Promise.all(step.include.map((one) => selection.find(one)));
      const left = selection.without(step.exclude);
      return wanted
        .flat()
        .filter(({ path }) => left(path))
        .map(({ path, named, publicOnly }) =>
          fileFragment(view, part, path, {
            named,
            publicOnly: blind || publicOnly,
            excluded: selection.isExcluded(path),
          }),
        );
    }
    case 'diff':
      return diffFragments(await view.diff(step.of), part, blind, (path) =>
        selection.isExcluded(path),
      );
    case 'changes':
      return changesFragment(await view.changes(), part);
    case 'changed-files':
      return changedFileFragments(view, await view.changes(), part, blind, (path) =>
        selection.isExcluded(path),
      );
    case 'plan':
      return plan === undefined ? [] : [textFragment(part, 'plan', 'plan', plan)];
    case 'tree':
      return [textFragment(part, 'files', 'tree', treeText(view.paths, step.depth))];
    case 'command': {
      if (runCommand === undefined) throw noCommands(strategy.name, step.run);
      const output = await runCommand(step.run);
      if (step.gives === 'text') return [textFragment(part, step.run, 'output', output)];
      const paths = output.split(/\r?\n/).filter((line) => selection.has(line));
      return paths.map((path) =>
        fileFragment(view, part, path, {
          named: false,
          publicOnly: blind,
          excluded: selection.isExcluded(path),
        }),
      );
    }
  }
}

function needs(strategy: string, input: StrategyInput): Refusal {
  const flag = { target: '--target FILE', plan: 'a plan', git_diff: 'git_diff: true' }[input];
  return new Refusal({
    // The command lacks an option, whatever the state of the project.
    code: input === 'target' ? 'usage.invalid' : 'context.unavailable',
    message: `The strategy ${strategy} needs ${flag}.`,
    hint: 'Provide it, or choose a role with another strategy.',
    details: { strategy, input },
  });
}

function noCommands(strategy: string, command: string): Refusal {
  return new Refusal({
    code: 'context.unavailable',
    message: `The strategy ${strategy} runs ${JSON.stringify(command)}, but there is no sandbox to run it in.`,
    hint: 'Use a strategy without command steps.',
    details: { strategy },
  });
}

const LINES_MAX = 600;

/** The paths of a project down to `depth`. Deeper files are counted by folder. */
function treeText(paths: readonly string[], depth: number): string {
  const lines: string[] = [];
  const hidden = new Map<string, number>();
  for (const path of paths) {
    const steps = path.split('/');
    if (steps.length <= depth) lines.push(path);
    else {
      const folder = `${steps.slice(0, depth).join('/')}/`;
      hidden.set(folder, (hidden.get(folder) ?? 0) + 1);
    }
  }
  for (const [folder, count] of hidden) lines.push(`${folder} (${plural(count, 'file')})`);
  const shown = lines.toSorted((a, b) => (a < b ? -1 : 1)).slice(0, LINES_MAX);
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`(${more} more)`] : [])].join('\n');
}
