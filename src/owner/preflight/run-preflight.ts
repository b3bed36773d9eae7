/**
 * Checks everything for which a run would be refused or would fail before its agent starts. The
 * messages are the same as later in the run. Nothing is started, and nothing is written to the
 * journal.
 */
import { plural } from '../../base/text.ts';
import type { CoolingAgent } from '../../limits/cooldown-state.ts';
import type { Journal } from '../../store/journal.ts';
import { Refusal } from '../../base/errors.ts';
import { hashText } from '../../base/hash-text.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Preflight } from '../../protocol/views/preflight-view.ts';
import { Submissions } from '../runs/submissions.ts';
import type { BriefedSubmission } from '../runs/submissions.ts';
import { Checklist } from './checklist.ts';
import type { CheckResult } from './checklist.ts';
import { checkNotify, requireNotifyProgram } from '../notifications/check-notify.ts';
import type { RunEnvironment } from '../../protocol/run-environment.ts';
import type { OwnerOptions } from '../owner-options.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { checkAgents } from './preflight-agents.ts';
import { checkBudget } from './preflight-budget.ts';
import { checkWorkflow } from './preflight-workflow.ts';
import { checkEnvironment } from './preflight-environment.ts';
import { runAgents } from '../../attempts/choice/run-agents.ts';
import { requireDiskHeadroom } from '../disk-headroom.ts';
import { requireProvingGate, runGates } from '../runs/run-gates.ts';
import type { ProjectSettings } from '../project-settings.ts';
import { shellHost, shellOptions } from '../credentials/shell-host.ts';
import { projectSettings } from '../project-settings.ts';

export type PreflightPorts = {
  readonly options: OwnerOptions;
  readonly executionHost: ExecutionHost;
  readonly journal: Pick<Journal, 'run' | 'runs' | 'readStream'>;
  /** The agents that are cooling down. */
  readonly cooling: () => readonly CoolingAgent[];
  /** The environment of commands for notifications: that of the owner, whichever shell asks. */
  readonly notifyEnv: OwnerOptions['agentEnv'];
};

/** `environment`: of the shell that asks. */
export async function preflight(
  original: RunRequest,
  environment: RunEnvironment | undefined,
  owner: Omit<PreflightPorts, 'notifyEnv'>,
): Promise<Preflight> {
  const options = shellOptions(owner.options, environment);
  const executionHost = shellHost(owner.executionHost, environment);
  const ports = { ...owner, options, executionHost, notifyEnv: owner.options.agentEnv };
  const list = new Checklist();
  await list.check('task', 'task', () => checkTask(original));
  const projectResult = await list.check('settings', 'settings', () =>
    checkSettings(original, options),
  );
  if (projectResult === undefined) return list.view();
  const submissions = new Submissions(options, executionHost);
  const { workflow } = original;
  if (workflow !== undefined) {
    const request = { ...original, workflow };
    await checkWorkflow(request, projectResult, submissions, ports, list);
    return list.view();
  }
  const submission = await checkRole(original, projectResult, submissions, list);
  if (submission === undefined) return list.view();
  const { request, prompt } = submission;
  const settings =
    request.withoutSetup === true ? { ...submission.settings, setup: null } : submission.settings;
  const chain = await list.check('agents', 'agents', async () => {
    const found = runAgents(request, settings, await submissions.defaultAgent(request, settings));
    const ids = found.agents.map(({ id }) => id);
    const order = found.order === 'as-listed' ? '' : ` (${found.order})`;
    return { value: found, words: `${ids.join(', ')}${order}` };
  });
  const gates = await list.check('gates', 'gates', () => {
    const value = runGates(settings, request);
    requireProvingGate(value, request);
    return {
      value,
      words: value.length === 0 ? 'none: the run will end unverified' : listNames(value),
    };
  });
  const agents = chain?.agents ?? [];
  const sandbox = await checkEnvironment(
    { request, settings, agents, gates: gates ?? [] },
    executionHost,
    list,
  );
  if (chain !== undefined) {
    const { brief } = submission;
    await checkAgents({ request, settings, chain, prompt, brief, sandbox }, ports, list);
    await checkBudget({ request, settings, agents }, ports, list);
  }
  await list.check('disk', 'disk', async () => ({
    value: null,
    words: await requireDiskHeadroom(options.home.dir, settings.limits),
  }));
  const { notify } = request;
  if (notify !== undefined)
    await list.check('notify', 'notify', () => {
      checkNotify(notify);
      requireNotifyProgram(notify, ports.notifyEnv);
      return { value: notify, words: 'gets a notification when the run ends or asks' };
    });
  return list.view();
}

function checkTask({ task }: RunRequest): CheckResult<string> {
  if (task.trim() === '')
    throw new Refusal({
      code: 'usage.invalid',
      message: 'The task is empty. Describe what to do.',
    });
  return { value: task, words: plural(task.length, 'character') };
}

async function checkSettings(
  request: RunRequest,
  options: OwnerOptions,
): Promise<CheckResult<ProjectSettings>> {
  const value = await projectSettings(options, request.project, request);
  const [warning] = value.warnings;
  const result = { value, words: 'read' };
  return warning === undefined ? result : { ...result, warning: { words: warning } };
}

/** The prompt of the agent. The context of a role is packed here and not stored. */
async function checkRole(
  request: RunRequest,
  { settings, project }: ProjectSettings,
  submissions: Submissions,
  list: Checklist,
): Promise<(BriefedSubmission & { readonly prompt: string }) | undefined> {
  const { task, role, targets = [] } = request;
  if (role === undefined && targets.length === 0) return { request, settings, prompt: task };
  return list.check('role', 'role', async () => {
    let prompt = task;
    const save = async (text: string): Promise<string> => hashText((prompt = text));
    const value = await submissions.brief(request, settings, project, { save });
    return {
      value: { ...value, prompt },
      words: `${role ?? ''}, ${plural(prompt.length, 'character')}`,
    };
  });
}

function listNames(gates: readonly { readonly name: string }[]): string {
  return gates.map(({ name }) => name).join(', ');
}
