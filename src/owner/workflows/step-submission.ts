/** The run of one step: the pinned settings of its role, its brief, and the work that it starts with. */
import { defined } from '../../base/defined.ts';
import { truncate } from '../../base/text.ts';
import type { AttemptSettings, PinnedBrief, PinnedGate } from '../../protocol/pinned-settings.ts';
import type { AttemptsSubmission, WorkflowSubmission } from '../../protocol/run-submission.ts';
import { ATTEMPTS_PROGRAM } from '../../protocol/run-submission.ts';
import type { PrepareStepInput } from '../../protocol/contracts/workflow-contract.ts';
import type {
  PinnedRole,
  WorkflowDefinition,
  WorkflowStep,
} from '../../protocol/workflow-definition.ts';

const TASK_CHARS_MAX = 2000;

export function stepSubmission(
  { project, task, path, settings: { workflow, locked } }: WorkflowSubmission,
  { step, work, gatesOf }: Pick<PrepareStepInput, 'step' | 'work' | 'gatesOf'>,
  { settings }: PinnedRole,
  brief: PinnedBrief,
  continues?: AttemptSettings['continues'],
): AttemptsSubmission {
  const { definition } = workflow;
  const found = definition.steps[step];
  return {
    program: ATTEMPTS_PROGRAM,
    task: truncate(`${step}: ${task}`, TASK_CHARS_MAX),
    project,
    settings: {
      ...settings,
      // The workflow repeats a step. Within it, each agent of the chain has one try, and fixes what gates find.
      recovery: { ...settings.recovery, preset: 'step-feedback', retriesPerAgent: 0 },
      deadlineMs: tighter(settings.deadlineMs, found),
      gates: stepGates(settings.gates ?? [], definition, gatesOf),
      brief,
      ...defined({ continues }),
      ...(work === null ? {} : { startsFrom: toPoint(work) }),
      ...(locked === undefined ? {} : { locked }),
    },
    ...(path === undefined ? {} : { path }),
  };
}

/** The gates of the role, and of the steps that follow. A name that occurs twice is one gate. */
function stepGates(
  own: readonly PinnedGate[],
  { steps }: WorkflowDefinition,
  gatesOf: readonly string[],
): readonly PinnedGate[] {
  const following = gatesOf.flatMap((id) => gatesIn(steps[id]));
  const byName = new Map([...own, ...following].map((gate) => [gate.name, gate]));
  return [...byName.values()];
}

function gatesIn(step: WorkflowStep | undefined): readonly PinnedGate[] {
  if (step?.kind === 'gate') return step.gates;
  return step?.kind === 'commit' ? step.before : [];
}

function tighter(deadlineMs: number | null, step: WorkflowStep | undefined): number | null {
  if (step === undefined) return deadlineMs;
  return deadlineMs === null ? step.timeoutMs : Math.min(deadlineMs, step.timeoutMs);
}

/** The value may carry more, such as its size. */
function toPoint({
  run,
  tree,
  commit,
  content,
}: NonNullable<PrepareStepInput['work']>): NonNullable<PrepareStepInput['work']> {
  return { run, tree, commit, content };
}
