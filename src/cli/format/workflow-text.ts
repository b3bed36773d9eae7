/** How workflows look in a terminal and in JSON. */
import type { JsonDocument } from '../../public-json/documents.ts';
import type { WorkflowStep } from '../../protocol/workflow-definition.ts';
import {
  describeAction,
  describeContinuity,
  describeLinks,
  orderSteps,
} from '../../workflow-files/describe-workflow.ts';
import type { LoadedWorkflow } from '../../workflow-files/load-workflow.ts';
import type { WorkflowLine } from '../../workflow-files/open-workflows.ts';
import { describePlace } from '../../yaml/problem.ts';
import { listLeaves, pathText } from '../../yaml/yaml-tree.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { joinCells, layOutTable } from './text-table.ts';

export function formatWorkflows(
  context: CliContext,
  lines: readonly WorkflowLine[],
  chosen: string | null,
): string {
  const columns = [{ title: '' }, { title: '' }];
  const cells = lines.map(({ placed }) => [printable(placed.name), placed.level]);
  const { rows } = layOutTable(context.terminal, columns, cells);
  return lines
    .map(({ placed, description, steps, problem }, nth) => {
      const [name = '', level = ''] = rows[nth] ?? [];
      const head = joinCells([paint(context, 'cyan', name), paint(context, 'dim', level)]);
      const mark = placed.name === chosen ? ' (of this project)' : '';
      // The place is for the person who fixes the file: `workflow validate` shows it.
      const first = problem?.split('\n')[0]?.replace(/^\S+:\d+:\d+: /, '') ?? '';
      const below =
        steps === null
          ? `${paint(context, 'yellow', 'not usable here:')} ${printable(first)}`
          : paint(context, 'dim', steps.map(printable).join(' → '));
      return `${head}  ${printable(description)}${mark}\n    ${below}\n`;
    })
    .join('');
}

export function formatWorkflow(
  context: CliContext,
  { definition, notes, files }: LoadedWorkflow,
): string {
  const steps = orderSteps(definition);
  const columns = [{ title: '' }, { title: '' }];
  const { rows } = layOutTable(
    context.terminal,
    columns,
    steps.map((step) => [printable(step.id), printable(describeAction(step))]),
  );
  const table = rows.map(([id = '', action = ''], nth) => {
    const step = steps[nth];
    const links = step === undefined ? '' : describeLinks(step).join('; ');
    const cells = [paint(context, 'cyan', id), action, paint(context, 'dim', links)];
    return joinCells([String(nth + 1).padStart(3), ...cells]).trimEnd();
  });
  const { limits, git, continuity } = definition;
  const about = definition.description === '' ? '' : `: ${printable(definition.description)}`;
  const branch =
    git.branchPattern === null ? 'the current branch' : `the branch ${git.branchPattern}`;
  const asked = git.autoCommit ? 'without asking' : 'after you agree';
  return [
    `${paint(context, 'bold', printable(definition.name))}${about}`,
    ...table,
    `At most ${limits.stepsMax} steps, with ${limits.roundsMax} ways back.`,
    ...(continuity === undefined ? [] : [describeContinuity(continuity)]),
    ...(limits.tokensMax === undefined ? [] : [`Prompts of at most ${limits.tokensMax} tokens.`]),
    ...(steps.some(({ kind }) => kind === 'commit') ? [`Commits to ${branch}, ${asked}.`] : []),
    ...notes.map((note) => `${paint(context, 'yellow', '!')} ${printable(note)}`),
    paint(context, 'dim', `From ${files.map(({ file }) => printable(file)).join(', ')}`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

type Field = {
  readonly key: string;
  readonly value: string | number | boolean | null;
  readonly origin: string;
};

function originsOf({ written }: LoadedWorkflow): readonly Field[] {
  return listLeaves(written).map(({ path, leaf }) => ({
    key: pathText(path),
    value: leaf.kind === 'scalar' ? leaf.value : null,
    origin: describePlace(leaf.place),
  }));
}

export function formatOrigins(context: CliContext, loaded: LoadedWorkflow): string {
  return originsOf(loaded)
    .map(({ key, value, origin }) => {
      const text = printable(value === null ? '' : String(value));
      return `${key.padEnd(36)} ${text.padEnd(24)} ${paint(context, 'dim', origin)}\n`;
    })
    .join('');
}

export function toWorkflowDocument(
  loaded: LoadedWorkflow,
  origins: boolean,
): JsonDocument<'workflow-steps'> {
  const { definition, notes, files } = loaded;
  const { limits, git, continuity } = definition;
  return {
    schema: 'supervisor.workflow-steps/1',
    workflow: definition.name,
    description: definition.description,
    files: files.map(({ file }) => file),
    initial_step: definition.initialStep,
    steps: orderSteps(definition).map(toStepFields),
    limits: {
      steps_max: limits.stepsMax,
      retries_max: limits.retriesMax,
      rounds_max: limits.roundsMax,
      tokens_default: limits.tokensDefault ?? null,
      tokens_max: limits.tokensMax ?? null,
    },
    continuity:
      continuity === undefined
        ? null
        : { roles: [...continuity.roles], turns_max: continuity.turnsMax },
    git: { branch_pattern: git.branchPattern, auto_commit: git.autoCommit },
    notes: [...notes],
    fields: origins ? [...originsOf(loaded)] : null,
  };
}

function toStepFields(step: WorkflowStep): JsonDocument<'workflow-steps'>['steps'][number] {
  const gates = step.kind === 'gate' ? step.gates : step.kind === 'commit' ? step.before : [];
  return {
    id: step.id,
    kind: step.kind,
    description: step.description,
    roles: step.kind === 'role' ? [step.role] : step.kind === 'review' ? [...step.roles] : [],
    gates: gates.map(({ name }) => name),
    next: step.next,
    on_fail: step.onFail,
    on_reject: 'onReject' in step ? step.onReject : null,
    human_approval: step.humanApproval,
    required: step.required,
    attempts_max: step.retry.attemptsMax,
    timeout_ms: step.timeoutMs,
    outputs: Object.keys(step.outputs),
  };
}
