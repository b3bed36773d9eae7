/** Definitions of workflows for tests. A test writes only the fields that it is about. */
import type { AnswerKind } from '../../src/protocol/answer.ts';
import type { PinnedGate } from '../../src/protocol/pinned-settings.ts';
import type { WorkflowSubmission } from '../../src/protocol/run-submission.ts';
import { WORKFLOW_PROGRAM } from '../../src/protocol/run-submission.ts';
import type {
  CommandStep,
  CommitStep,
  GateStep,
  HumanStep,
  PinnedRole,
  RetryPolicy,
  ReviewStep,
  RoleStep,
  WorkflowContinuity,
  WorkflowDefinition,
  WorkflowGit,
  WorkflowLimits,
  WorkflowStep,
} from '../../src/protocol/workflow-definition.ts';
import { settingsFor } from './drive-attempts.ts';

const RETRY: RetryPolicy = {
  attemptsMax: 3,
  initialMs: 2000,
  multiplier: 2,
  waitMaxMs: 30_000,
  jitter: 0.1,
  whenUsedUp: 'fail',
};

const BASE = {
  description: '',
  onFail: null,
  timeoutMs: 300_000,
  retry: RETRY,
  humanApproval: false,
  required: true,
  outputs: {},
  config: {},
} as const;

type Rest<Step extends WorkflowStep> = Partial<Omit<Step, 'kind' | 'retry'>> & {
  readonly retry?: Partial<RetryPolicy>;
};
const policy = (retry: Partial<RetryPolicy> = {}): { retry: RetryPolicy } => ({
  retry: { ...RETRY, ...retry },
});

export const role = (
  name: string,
  next: string | null,
  { retry, ...rest }: Rest<RoleStep> = {},
): Omit<RoleStep, 'id'> => ({
  ...{ ...BASE, kind: 'role', role: name, next, onReject: null, contextScope: 'project' },
  ...rest,
  ...policy(retry),
});

export const gate = (
  names: readonly (string | PinnedGate)[],
  next: string | null,
  { retry, ...rest }: Rest<GateStep> = {},
): Omit<GateStep, 'id'> => ({
  ...{ ...BASE, kind: 'gate', gates: names.map(pinnedGate), next },
  ...rest,
  ...policy(retry),
});

export const human = (
  next: string | null,
  { retry, ...rest }: Rest<HumanStep> = {},
): Omit<HumanStep, 'id'> => ({
  ...{ ...BASE, kind: 'human', next, onReject: null },
  ...rest,
  ...policy(retry),
});

export const review = (
  roles: readonly string[],
  next: string | null,
  { retry, ...rest }: Rest<ReviewStep> = {},
): Omit<ReviewStep, 'id'> => ({
  ...{ ...BASE, kind: 'review', roles, agree: 'all', next, onReject: null },
  ...rest,
  ...policy(retry),
});

export const command = (
  words: readonly string[],
  next: string | null,
  { retry, ...rest }: Rest<CommandStep> = {},
): Omit<CommandStep, 'id'> => ({
  ...{ ...BASE, kind: 'command', command: words, allowedWrites: [], next },
  ...rest,
  ...policy(retry),
});

export const commit = ({ retry, ...rest }: Rest<CommitStep> = {}): Omit<CommitStep, 'id'> => ({
  ...{ ...BASE, kind: 'commit', next: null, before: [], pullRequest: null },
  ...rest,
  ...policy(retry),
});

function pinnedGate(name: string | PinnedGate): PinnedGate {
  return typeof name === 'string' ? { name, command: ['make', name], timeoutMs: 60_000 } : name;
}

/** The answer of each role that the tests use. */
const ANSWERS: Readonly<Record<string, AnswerKind>> = {
  planner: 'plan',
  coder: 'implementation',
  tester: 'implementation',
  helper: 'generic',
  ann: 'review',
  bob: 'review',
  cyd: 'review',
};

export type WorkflowOptions = {
  readonly limits?: Partial<WorkflowLimits>;
  readonly git?: Partial<WorkflowGit>;
  readonly continuity?: WorkflowContinuity;
};

export function definition(
  steps: Readonly<Record<string, Omit<WorkflowStep, 'id'>>>,
  { limits, git, continuity }: WorkflowOptions = {},
): WorkflowDefinition {
  const [initialStep = 'none'] = Object.keys(steps);
  return {
    name: 'test',
    description: '',
    initialStep,
    steps: Object.fromEntries(
      Object.entries(steps).map(([id, step]) => [id, { ...step, id } as WorkflowStep]),
    ),
    limits: { stepsMax: 50, retriesMax: 3, roundsMax: 3, ...limits },
    git: { branchPattern: 'ai/{task_id}-{slug}', autoCommit: true, ...git },
    ...(continuity === undefined ? {} : { continuity }),
  };
}

export function workflowSubmission(
  definition: WorkflowDefinition,
  task = 'Add a date parser',
): WorkflowSubmission {
  const settings = settingsFor(['a']);
  const pinned = (answer: AnswerKind): PinnedRole => ({
    answer,
    role: {},
    isOfProject: false,
    settings,
  });
  const roles = Object.fromEntries(
    Object.entries(ANSWERS).map(([name, answer]) => [name, pinned(answer)]),
  );
  const workflow = { definition, taskId: 't7', roles };
  return { program: WORKFLOW_PROGRAM, task, project: '/app', settings: { ...settings, workflow } };
}
