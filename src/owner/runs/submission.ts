/**
 * Turns a request and the settings of its project into the settings that the first fact of the run
 * pins.
 */
import { Refusal } from '../../base/errors.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { AttemptsSubmission } from '../../protocol/run-submission.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Limit } from '../../engine/limits.ts';
import type { CredentialSource } from '../credentials/given-variables.ts';
import { pinAgent } from '../credentials/given-variables.ts';
import { checkNotify } from '../notifications/check-notify.ts';
import { needsSandboxRefusal, runAgents } from '../../attempts/choice/run-agents.ts';
import { runGates } from './run-gates.ts';
import type { AttemptSettings, PinnedBrief } from '../../protocol/pinned-settings.ts';

export type SubmissionParts = {
  /** The CLI to use if no agent is configured. */
  readonly defaultAgent?: string | null;
  readonly brief?: PinnedBrief | undefined;
  /** Where the credentials of its agents come from. */
  readonly environment?: CredentialSource;
  /** The PATH of the shell that submits it. */
  readonly path?: string | undefined;
};

const NO_ENVIRONMENT: CredentialSource = { variables: {}, isFromShell: false };

export function buildSubmission(
  request: RunRequest,
  settings: Settings,
  parts: SubmissionParts = {},
): AttemptsSubmission {
  const { defaultAgent = null, brief, environment = NO_ENVIRONMENT, path } = parts;
  const { agents: all, order, fallbacks } = runAgents(request, settings, defaultAgent);
  // One attempt has one agent. In another order, only the run finds out which one is first.
  const runnable = request.once === true && order === 'as-listed' ? all.slice(0, 1) : all;
  const containment = { isContained: request.unsafe !== true };
  const agents = runnable.map((one) => pinAgent(one, environment, containment));
  for (const { id, cli, fromProject } of agents)
    if (fromProject === true && (request.unsafe === true || cli === 'scripted'))
      throw needsSandboxRefusal(id);
  const [agent] = agents;
  if (agent === undefined)
    throw new Refusal({ code: 'usage.invalid', message: 'The chain names no agent.' });
  const { graceMs, deadlineMs, interruptionsMax, outputBytesMax } = settings.attempt;
  const pinned: AttemptSettings = {
    agent,
    chain: agents,
    order,
    fallbacks,
    recovery: settings.recovery,
    capacity: settings.capacity,
    gates: runGates(settings, request),
    baseline: settings.baseline && request.withoutBaseline !== true,
    once: request.once === true,
    ...(request.interactive === true ? { interactive: true } : {}),
    ignoreCooldown: request.ignoreCooldown === true,
    graceMs,
    deadlineMs,
    interruptionsMax,
    outputBytesMax,
    sandbox: settings.sandbox,
    gateway: settings.gateway,
    budget: settings.budget,
    steering: settings.steering,
    setup: request.withoutSetup === true ? null : settings.setup,
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
    ...(request.notify !== undefined && request.concludes === true ? { concludes: true } : {}),
    ...(path === undefined ? {} : { path }),
  };
}

/**
 * The limits for everything that this owner performs. A run pins its own capacity; these values
 * apply to runs without one.
 */
export function projectLimits({ limits, capacity }: Settings): readonly Limit[] {
  const rate = limits.startsPerMinute;
  return [
    {
      key: 'attempts',
      concurrencyMax: limits.attempts,
      ...(rate === null ? {} : { rate: { startsMax: rate, perMs: 60_000 } }),
    },
    { key: 'project:*', concurrencyMax: capacity.runsMax, countsRuns: true },
    { key: 'agent:*', concurrencyMax: capacity.perAgentMax },
  ];
}
