/** Turns a request and the settings of its project into what is pinned into the run's first fact. */
import { Refusal } from '../../base/errors.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Submission } from '../../protocol/event.ts';
import type { Settings } from '../../settings/settings.ts';
import type { AttemptSettings, PinnedBrief } from '../../attempts/attempt.ts';
import { withoutSecrets } from '../../execution/environments/agent-secrets.ts';
import type { Limit } from '../../engine/limits.ts';
import { checkNotify } from '../notifications/deliver-notification.ts';
import { needsSandboxRefusal, runAgents } from '../../attempts/run-agents.ts';
import { runGates } from './run-gates.ts';

/** `ready` is the CLI to use where nobody has configured an agent. */
export function buildSubmission(
  request: RunRequest,
  settings: Settings,
  ready: string | null = null,
  brief?: PinnedBrief,
): Submission {
  const { agents: found, order, fallbacks } = runAgents(request, settings, ready);
  const agents = found.map((one) => withoutSecrets(one));
  for (const { id, cli, fromProject } of agents)
    if (fromProject === true && (request.unsafe === true || cli === 'scripted'))
      throw needsSandboxRefusal(id);
  const [agent] = agents;
  if (agent === undefined)
    throw new Refusal({ code: 'usage.invalid', message: 'The chain names no agent.' });
  const { graceMs, deadlineMs, lostMax, outputBytesMax } = settings.attempt;
  const pinned: AttemptSettings = {
    agent,
    chain: agents,
    order,
    fallbacks,
    recovery: settings.recovery,
    capacity: settings.capacity,
    gates: runGates(settings, request),
    once: request.once === true,
    ignoreCooldown: request.ignoreCooldown === true,
    graceMs,
    deadlineMs,
    lostMax,
    outputBytesMax,
    sandbox: settings.sandbox,
    gateway: settings.gateway,
    budget: settings.budget,
    setup: settings.setup,
    rules: settings.classify.rules,
    unsafe: request.unsafe === true,
    ...(brief === undefined ? {} : { brief }),
  };
  if (request.notify !== undefined) checkNotify(request.notify);
  return {
    program: 'attempts',
    task: request.task,
    project: request.project,
    settings: { ...pinned },
    ...(request.notify === undefined ? {} : { notify: request.notify }),
  };
}

/** The limits that hold for everything this owner performs. A run has its own capacity pinned; older ones have this. */
export function projectLimits({ limits, capacity }: Settings): readonly Limit[] {
  const rate = limits.startsPerMinute;
  return [
    {
      key: 'attempts',
      concurrencyMax: limits.attempts,
      ...(rate === null ? {} : { rate: { startsMax: rate, perMs: 60_000 } }),
    },
    { key: 'project:*', concurrencyMax: capacity.runsMax, ofRuns: true },
    { key: 'agent:*', concurrencyMax: capacity.perAgentMax },
  ];
}
