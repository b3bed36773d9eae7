/**
 * Turns a request that names a workflow into a submission. Everything that the workflow needs is pinned and checked
 * here, so that it does not end at its last step for a reason that was known at the first.
 */
import { isRefusal, Refusal } from '../../base/errors.ts';
import { newRunId } from '../../base/ids.ts';
import type { Random } from '../../base/random.ts';
import { checkGhAndRemote } from '../../execution/commit-work/check-pull-request.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { refusalOr } from '../../execution/refusal-outcome.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { PinnedGate } from '../../protocol/pinned-settings.ts';
import type { Submission, WorkflowSubmission } from '../../protocol/run-submission.ts';
import { WORKFLOW_PROGRAM } from '../../protocol/run-submission.ts';
import type { PinnedRole, WorkflowDefinition } from '../../protocol/workflow-definition.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Project } from '../../workspace/project.ts';
import { inspectProject } from '../../workspace/project.ts';
import { checkNotify } from '../notifications/check-notify.ts';
import { requireKeys } from '../runs/require-keys.ts';
import { requireRunnable } from '../runs/require-runnable.ts';
import type { RunToSetUp } from '../runs/require-setup.ts';
import { requireVisible } from '../runs/require-visible.ts';
import { requireSetup, runToSetUp } from '../runs/require-setup.ts';
import type { TryGate } from '../runs/try-gate.ts';
import { buildSubmission } from '../runs/submission.ts';
import type { PinRolesPorts } from './pin-roles.ts';
import { inCopies, pinRoles } from './pin-roles.ts';

export type WorkflowRequest = RunRequest & { readonly workflow: string };

export type WorkflowPorts = PinRolesPorts & {
  readonly random: Random;
  /** Refuses an unknown or invalid workflow. */
  readonly loadWorkflow: (name: string) => Promise<WorkflowDefinition>;
};

const TASK_ID_CHARS = 6;

export async function workflowSubmission(
  request: WorkflowRequest,
  settings: Settings,
  ports: WorkflowPorts,
): Promise<WorkflowSubmission> {
  refuseOptions(request);
  const definition = await ports.loadWorkflow(request.workflow);
  const { targets = [], notify } = request;
  if (notify !== undefined) checkNotify(notify);
  await requireTargets(request.project, targets);
  const roles = await pinRoles(definition, request, settings, ports);
  if (request.unsafe === true) refuseUncontained(roles);
  const [first] = Object.values(roles);
  const own = first?.settings ?? inCopies(buildSubmission(request, settings, ports.parts).settings);
  const taskId = request.taskId ?? newTaskId(ports.random);
  const { approvals } = settings;
  const chosen = targets.length === 0 ? {} : { targets };
  const workflow = { definition, taskId, roles, approvals, ...chosen };
  const { path } = ports.parts;
  return {
    program: WORKFLOW_PROGRAM,
    task: request.task,
    project: request.project,
    settings: { ...own, gates: [], workflow },
    ...(notify === undefined ? {} : { notify }),
    ...(path === undefined ? {} : { path }),
  };
}

function newTaskId(random: Random): string {
  return newRunId(random).slice(0, TASK_ID_CHARS);
}

/** A run that goes back to a step commits on a branch of its own: the other run may have made its commit. */
export function withNewTaskId(submission: WorkflowSubmission, random: Random): WorkflowSubmission {
  const { settings } = submission;
  const workflow = { ...settings.workflow, taskId: newTaskId(random) };
  return { ...submission, settings: { ...settings, workflow } };
}

/** A step decides these itself, or hands its work on as a commit. */
const DECIDED_BY_STEPS: readonly (readonly [keyof RunRequest, option: string, why: string])[] = [
  ['role', '--role', 'each of its steps names its role'],
  ['gates', '--gate', 'its gates are steps'],
  ['interactive', '--interactive', 'its agents work in runs of their own'],
  ['once', '--once', 'each of its steps says how often it is repeated'],
];

function refuseOptions(request: RunRequest): void {
  const found = DECIDED_BY_STEPS.find(
    ([key]) => request[key] !== undefined && request[key] !== false,
  );
  if (found === undefined) return;
  const [, option, why] = found;
  throw new Refusal({
    code: 'usage.invalid',
    message: `${option} cannot be used with a workflow: ${why}.`,
    hint: `Leave out ${option}, or the workflow.`,
  });
}

/** Only programs of this package work in copies without a sandbox: any other could change the project itself. */
function refuseUncontained(roles: Readonly<Record<string, PinnedRole>>): void {
  for (const [name, { settings }] of Object.entries(roles)) {
    const { agent, chain = [agent] } = settings;
    const found = chain.find(({ cli }) => cli !== 'scripted');
    if (found === undefined) continue;
    throw new Refusal({
      code: 'usage.invalid',
      message: `--unsafe-no-sandbox cannot be used with a workflow: its agents work in copies of the project, and only a sandbox keeps ${found.id} (role ${name}) in its copy.`,
      hint: 'Leave out --unsafe-no-sandbox, or try the workflow with scripted agents: --agent scripted:plays-every-role',
    });
  }
}

async function requireTargets(project: string, targets: readonly string[]): Promise<void> {
  if (targets.length === 0) return;
  // The parsers that a selection needs are loaded only on use.
  const [{ Selection }, { openProject }, { ContextCache }] = await Promise.all([
    import('../../context/selection.ts'),
    import('../../context/open-project.ts'),
    import('../../context/context-cache.ts'),
  ]);
  void new Selection(await openProject(project, new ContextCache()), targets, []);
}

/** What is known of the project before its workflow is checked. */
export type WorkflowChecks = {
  readonly host: ExecutionHost;
  readonly tryGate: TryGate;
  readonly inspected: Project | Refusal;
  /** False: it is known, and said elsewhere, that some agents can't start. */
  readonly isAbleToStart?: boolean;
};

/** Git answers in other processes, so the files of the workflow can be read meanwhile. */
export function inspectForWorkflow(
  path: string,
  { git, clock, tagOf, stateDir, userDir }: ExecutionHost,
): Promise<Project | Refusal> {
  const ports = { git, clock, tag: tagOf('submission', 'project'), userHome: userDir };
  return refusalOr(inspectProject(ports, { path, home: stateDir }));
}

/** Refuses what no step could change: a missing program, a missing setup, or a project without a repository. */
export async function requireWorkflow(
  submission: WorkflowSubmission,
  request: Pick<RunRequest, 'withoutSetup'>,
  settings: Settings,
  { host, tryGate, inspected, isAbleToStart = true }: WorkflowChecks,
): Promise<void> {
  const { definition, roles } = submission.settings.workflow;
  if (inspected instanceof Refusal) throw inspected;
  await requireRepository(submission, inspected, host);
  for (const [name, role] of isAbleToStart ? Object.entries(roles) : [])
    await naming(name, async () => {
      await requireRunnable(asRun(submission, role), host);
      await requireKeys(asRun(submission, role), settings, host);
    });
  const run = workflowToSetUp(submission, definition, request, settings);
  if (isAbleToStart)
    for (const { settings: role } of Object.values(roles)) {
      const { agent, chain = [agent] } = role;
      requireVisible({ ...run, agents: chain }, host);
    }
  await requireSetup(run, tryGate);
}

async function requireRepository(
  { project, settings: { workflow } }: WorkflowSubmission,
  { kind, root }: Project,
  { git, clock, tagOf, ownerEnv }: ExecutionHost,
): Promise<void> {
  const { name, steps } = workflow.definition;
  const commits = Object.values(steps).filter((step) => step.kind === 'commit');
  const [first] = commits;
  if (first === undefined) return;
  if (kind !== 'git')
    throw new Refusal({
      code: 'workspace.unsupported',
      message: `The step ${first.id} of the workflow ${name} makes a commit, and ${project} is not a git repository.`,
      hint: 'Create one with: git init. Or disable the step in .supervisor/config.yaml.',
    });
  const opens = commits.find(({ pullRequest }) => pullRequest !== null);
  if (opens === undefined) return;
  const found = await checkGhAndRemote(
    { clock, tag: tagOf('submission', 'project'), git, env: ownerEnv },
    root,
  );
  if (found.kind === 'found') return;
  throw new Refusal({
    code: 'workspace.unsupported',
    message: `The step ${opens.id} of the workflow ${name} opens a pull request. ${found.why}`,
    hint: 'Correct this, or set git.pull_requests: false in your own config.yaml.',
  });
}

async function naming(role: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { message, ...data } = error.data;
    throw new Refusal({ ...data, message: `The role ${role}: ${message}` });
  }
}

function asRun({ project, task }: WorkflowSubmission, { settings }: PinnedRole): Submission {
  return { program: 'attempts', task, project, settings };
}

function workflowToSetUp(
  submission: WorkflowSubmission,
  { steps }: WorkflowDefinition,
  request: Pick<RunRequest, 'withoutSetup'>,
  settings: Pick<Settings, 'requireSetup'>,
): RunToSetUp {
  const gates = Object.values(steps).flatMap((step): readonly PinnedGate[] => {
    if (step.kind === 'gate') return step.gates;
    return step.kind === 'commit' ? step.before : [];
  });
  return { ...runToSetUp(submission, request, settings), gates };
}
