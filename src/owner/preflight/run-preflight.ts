/**
 * Everything that a run would be refused for, or would find out before its agent has said a word:
 * looked at beforehand, in the same words, with nothing begun and nothing written into the journal.
 */
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
import { checkNotify } from '../notifications/deliver-notification.ts';
import type { OwnerOptions } from '../owner-options.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { checkAgents } from './preflight-agents.ts';
import { checkBudget } from './preflight-budget.ts';
import { checkEnvironment } from './preflight-environment.ts';
import { runAgents } from '../../attempts/run-agents.ts';
import { requireDiskHeadroom } from '../disk-headroom.ts';
import { runGates } from '../runs/run-gates.ts';
import type { ProjectSettings } from '../project-settings.ts';
import { projectSettings } from '../project-settings.ts';

export type PreflightPorts = {
  readonly options: OwnerOptions;
  readonly executionHost: ExecutionHost;
  readonly journal: Pick<Journal, 'run' | 'runs'>;
  /** Who rests at the moment. */
  readonly cooling: () => readonly CoolingAgent[];
};

export async function preflight(wanted: RunRequest, ports: PreflightPorts): Promise<Preflight> {
  const { options, executionHost } = ports;
  const list = new Checklist();
  await list.look('task', 'task', () => taskOf(wanted));
  const given = await list.look('settings', 'settings', () => settingsOf(wanted, options));
  if (given === undefined) return list.view();
  const desk = new Submissions(options, executionHost);
  const briefed = await lookAtRole(wanted, given, desk, list);
  if (briefed === undefined) return list.view();
  const { settings, request, prompt } = briefed;
  const chain = await list.look('agents', 'agents', async () => {
    const found = runAgents(request, settings, await desk.defaultAgent(request, settings));
    const ids = found.agents.map(({ id }) => id);
    const order = found.order === 'as-listed' ? '' : ` (${found.order})`;
    return { value: found, words: `${ids.join(', ')}${order}` };
  });
  const gates = await list.look('gates', 'gates', () => {
    const value = runGates(settings, request);
    return {
      value,
      words: value.length === 0 ? 'none: the run will end unverified' : named(value),
    };
  });
  const agents = chain?.agents ?? [];
  const place = await checkEnvironment(
    { request, settings, agents, gates: gates ?? [] },
    executionHost,
    list,
  );
  if (chain !== undefined) {
    const { brief } = briefed;
    await checkAgents({ request, settings, chain, prompt, brief, place }, ports, list);
    await checkBudget({ request, settings, agents }, ports, list);
  }
  await list.look('disk', 'disk', async () => ({
    value: null,
    words: await requireDiskHeadroom(options.home.dir, settings.limits),
  }));
  const { notify } = request;
  if (notify !== undefined)
    await list.look('notify', 'notify', () => {
      checkNotify(notify);
      return { value: notify, words: 'will be told when it ends or asks' };
    });
  return list.view();
}

function taskOf({ task }: RunRequest): CheckResult<string> {
  if (task.trim() === '')
    throw new Refusal({
      code: 'usage.invalid',
      message: 'The task is empty: say what is to be done.',
    });
  return { value: task, words: `${task.length} characters` };
}

async function settingsOf(
  request: RunRequest,
  options: OwnerOptions,
): Promise<CheckResult<ProjectSettings>> {
  const value = await projectSettings(options, request.project, request);
  const [warning] = value.warnings;
  const looked = { value, words: 'read' };
  return warning === undefined ? looked : { ...looked, warning: { words: warning } };
}

/** What its worker would be told: with a role that is packed here, and kept nowhere. */
async function lookAtRole(
  request: RunRequest,
  { settings, project }: ProjectSettings,
  desk: Submissions,
  list: Checklist,
): Promise<(BriefedSubmission & { readonly prompt: string }) | undefined> {
  const { task, role, targets = [] } = request;
  if (role === undefined && targets.length === 0) return { request, settings, prompt: task };
  return list.look('role', 'role', async () => {
    let prompt = task;
    const keep = async (text: string): Promise<string> => hashText((prompt = text));
    const value = await desk.brief(request, settings, project, { keep });
    return { value: { ...value, prompt }, words: `${role ?? ''}, ${prompt.length} characters` };
  });
}

function named(gates: readonly { readonly name: string }[]): string {
  return gates.map(({ name }) => name).join(', ');
}
