/** Turns a request and the settings of its project into what is pinned into the run's first fact. */
import { Refusal } from '../base/errors.ts';
import type { RunRequest } from '../protocol/api.ts';
import { AGENT_CLIS } from '../protocol/agent-config.ts';
import type { Submission } from '../protocol/event.ts';
import { findAgent } from '../protocol/settings.ts';
import type { Settings } from '../protocol/settings.ts';
import type { AttemptSettings } from '../attempts/attempt.ts';
import type { Limit } from '../engine/limits.ts';

export function submissionOf(request: RunRequest, settings: Settings): Submission {
  const wanted = request.agent ?? settings.defaultAgent;
  if (wanted === null) throw noAgent(settings);
  // `scripted:NAME` is the scripted agent with another of its programs.
  const agent = findAgent(settings, wanted) ?? findScripted(settings, wanted);
  if (agent === undefined) throw unknownAgent(wanted, settings);
  const { graceMs, deadlineMs, lostMax, outputBytesMax } = settings.attempt;
  const pinned: AttemptSettings = {
    agent: { ...agent, id: wanted },
    graceMs,
    deadlineMs,
    lostMax,
    outputBytesMax,
    sandbox: settings.sandbox,
    gateway: settings.gateway,
    rules: settings.classify.rules,
    unsafe: request.unsafe === true,
  };
  return {
    program: 'attempts',
    task: request.task,
    project: request.project,
    settings: { ...pinned },
  };
}

/** The limits that hold for everything this owner performs. */
export function limitsOf({ limits, capacity }: Settings): readonly Limit[] {
  const rate = limits.startsPerMinute;
  return [
    {
      key: 'attempts',
      concurrencyMax: limits.attempts,
      ...(rate === null ? {} : { rate: { startsMax: rate, perMs: 60_000 } }),
    },
    { key: 'project:*', concurrencyMax: capacity.runsMax },
  ];
}

function findScripted(settings: Settings, wanted: string): ReturnType<typeof findAgent> {
  return wanted.startsWith('scripted:') ? findAgent(settings, 'scripted') : undefined;
}

function known(settings: Settings): string {
  const ids = settings.agents.map(({ id }) => id as string);
  return [...new Set([...ids, ...AGENT_CLIS.filter((cli) => cli !== 'custom')])].join(', ');
}

function noAgent(settings: Settings): Refusal {
  return new Refusal({
    code: 'agent.unknown',
    message: 'No agent is named, and no default_agent is set.',
    hint: `Name one with --agent, such as: --agent ${settings.agents[0]?.id ?? 'scripted'}`,
  });
}

function unknownAgent(wanted: string, settings: Settings): Refusal {
  return new Refusal({
    code: 'agent.unknown',
    message: `There is no agent ${JSON.stringify(wanted)} here.`,
    hint: `Use one of: ${known(settings)}`,
  });
}
