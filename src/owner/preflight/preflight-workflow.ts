/** What a workflow would do: its steps with their agents and gates, and the branch that it would make. */
import type { RunRequest } from '../../protocol/api.ts';
import { defined } from '../../base/defined.ts';
import type { Refusal } from '../../base/errors.ts';
import { plural } from '../../base/text.ts';
import type { PinnedRole, WorkflowDefinition } from '../../protocol/workflow-definition.ts';
import type { WorkflowSubmission } from '../../protocol/run-submission.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import { branchName } from '../../workflow/branch-name.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { inspectProject } from '../../workspace/project.ts';
import type { ProjectSettings } from '../project-settings.ts';
import type { Submissions } from '../runs/submissions.ts';
import { tryGateIn } from '../runs/try-gate.ts';
import { inspectForWorkflow, requireWorkflow } from '../workflows/workflow-submission.ts';
import type { Checklist } from './checklist.ts';
import { checkBudget } from './preflight-budget.ts';
import { checkRoles, judgeStep, stepsRefusal } from './preflight-steps.ts';
import type { PreflightPorts } from './run-preflight.ts';

export async function checkWorkflow(
  request: RunRequest & { readonly workflow: string },
  loaded: ProjectSettings,
  submissions: Submissions,
  ports: PreflightPorts,
  list: Checklist,
): Promise<void> {
  const submission = await list.check('workflow', 'workflow', async () => {
    const value = await submissions.workflow(request, loaded);
    const { name, steps } = value.settings.workflow.definition;
    return { value, words: `${name}: ${plural(Object.keys(steps).length, 'step')}` };
  });
  if (submission === undefined) return;
  const unable = await checkSteps(submission, request, ports, list);
  const { settings } = loaded;
  const host = ports.executionHost;
  await list.check('base', 'base', async () => ({
    value: null,
    words: await describeBase(request.project, host),
  }));
  await list.check('needs', 'needs', async () => {
    const runs = settings.baseline && request.withoutBaseline !== true;
    const tryGate = tryGateIn(request.project, settings.sandbox, host, { runs });
    const isAbleToStart = unable.length === 0;
    const inspected = await inspectForWorkflow(request.project, host);
    const checks = { host, tryGate, inspected, isAbleToStart };
    await requireWorkflow(submission, request, settings, checks);
    if (!isAbleToStart) throw stepsRefusal(unable);
    return { value: null, words: 'every step can begin' };
  });
  const agents = agentsOf(submission);
  await checkBudget({ request, settings, agents }, ports, list);
}

type UnableStep = readonly [step: string, refusal: Refusal];

/** Resolves with the steps that can't begin. */
async function checkSteps(
  submission: WorkflowSubmission,
  request: RunRequest,
  ports: PreflightPorts,
  list: Checklist,
): Promise<readonly UnableStep[]> {
  const roles = await checkRoles(submission, request, ports);
  const { steps } = submission.settings.workflow.definition;
  const unable: UnableStep[] = [];
  for (const [id, words] of describeSteps(submission)) {
    const step = steps[id];
    const found = step === undefined ? { kind: 'ready' as const } : judgeStep(step, roles);
    const [key, title] = [`step:${id}`, `step ${id}`];
    if (found.kind === 'unable') {
      unable.push([id, found.refusal]);
      list.failed(key, title, found.refusal);
      continue;
    }
    const { hint } = found.kind === 'limited' ? found : {};
    const warning =
      found.kind === 'limited'
        ? { warning: { words: `${words}. ${found.words}`, ...defined({ hint }) } }
        : {};
    await list.check(key, title, () => ({ value: null, words, ...warning }));
  }
  return unable;
}

/** The commit that the work starts from. */
async function describeBase(
  path: string,
  { git, clock, tagOf, stateDir, userDir }: ExecutionHost,
): Promise<string> {
  const ports = { git, clock, tag: tagOf('submission', 'project'), userHome: userDir };
  const project = await inspectProject(ports, { path, home: stateDir });
  if (project.kind !== 'git') return 'the files of the folder, which is no git repository';
  if (project.head === undefined) return 'the files of the repository, which has no commit yet';
  const { branch = 'no branch' } = project;
  return `${branch} at ${project.head.slice(0, 12)}`;
}

/** Every agent that a step may use, once. */
function agentsOf({ settings: { workflow } }: WorkflowSubmission): readonly AgentSpec[] {
  const all = Object.values(workflow.roles).flatMap(({ settings: { agent, chain } }) => [
    agent,
    ...(chain ?? []),
  ]);
  return all.filter(({ id }, place) => all.findIndex((one) => one.id === id) === place);
}

/** Each step in words, in their order. */
export function describeSteps({
  task,
  settings: { workflow },
}: Pick<WorkflowSubmission, 'task' | 'settings'>): readonly (readonly [
  id: string,
  words: string,
])[] {
  const { definition, taskId, roles } = workflow;
  const branch = branchOf(definition, taskId, task);
  return Object.values(definition.steps).map((step) => {
    switch (step.kind) {
      case 'role':
        return [step.id, withAgents(step.role, roles[step.role])];
      case 'review':
        return [step.id, step.roles.map((role) => withAgents(role, roles[role])).join('; ')];
      case 'gate':
        return [step.id, `gates: ${namesOf(step.gates)}`];
      case 'human':
        return [step.id, 'waits for your approval'];
      case 'command':
        return [step.id, `runs: ${step.command.join(' ')}`];
      case 'commit': {
        const gates = step.before.length === 0 ? '' : `, after the gates ${namesOf(step.before)}`;
        const request = step.pullRequest === null ? '' : ', and opens a pull request';
        return [step.id, `commits on ${branch}${gates}${request}`];
      }
    }
  });
}

function namesOf(gates: readonly { readonly name: string }[]): string {
  return gates.map(({ name }) => name).join(', ');
}

function withAgents(name: string, role: PinnedRole | undefined): string {
  const { agent, chain = agent && [agent] } = role?.settings ?? {};
  const ids = (chain ?? []).map(({ id }) => id).join(', ');
  return ids === '' ? `role ${name}` : `role ${name} by ${ids}`;
}

function branchOf({ git }: WorkflowDefinition, taskId: string, task: string): string {
  return git.branchPattern === null
    ? 'the branch that is checked out'
    : `the new branch ${branchName(git.branchPattern, taskId, task)}`;
}
