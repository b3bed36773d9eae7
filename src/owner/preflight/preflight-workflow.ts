/** What a workflow would do: its steps with their agents and gates, and the branch that it would make. */
import type { RunRequest } from '../../protocol/api.ts';
import { plural } from '../../base/text.ts';
import type { PinnedRole, WorkflowDefinition } from '../../protocol/workflow-definition.ts';
import type { WorkflowSubmission } from '../../protocol/run-submission.ts';
import { branchName } from '../../workflow/branch-name.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import type { ProjectSettings } from '../project-settings.ts';
import type { Submissions } from '../runs/submissions.ts';
import { tryGateIn } from '../runs/try-gate.ts';
import { requireWorkflow } from '../workflows/workflow-submission.ts';
import type { Checklist } from './checklist.ts';

export async function checkWorkflow(
  request: RunRequest & { readonly workflow: string },
  loaded: ProjectSettings,
  submissions: Submissions,
  host: ExecutionHost,
  list: Checklist,
): Promise<void> {
  const submission = await list.check('workflow', 'workflow', async () => {
    const value = await submissions.workflow(request, loaded);
    const { name, steps } = value.settings.workflow.definition;
    return { value, words: `${name}: ${plural(Object.keys(steps).length, 'step')}` };
  });
  if (submission === undefined) return;
  for (const [id, words] of describeSteps(submission))
    await list.check(`step:${id}`, `step ${id}`, () => ({ value: null, words }));
  const { settings } = loaded;
  await list.check('needs', 'needs', async () => {
    const runs = settings.baseline && request.withoutBaseline !== true;
    const tryGate = tryGateIn(request.project, settings.sandbox, host, { runs });
    await requireWorkflow(submission, request, settings, host, tryGate);
    return { value: null, words: 'every step can begin' };
  });
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
