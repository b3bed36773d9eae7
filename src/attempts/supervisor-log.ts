/** The log lines of the attempt loop about its own decisions, derived from the events alone. */
import type { CommandBegun, CommandEnded } from '../protocol/commands.ts';
import type { RunEvent } from '../protocol/event.ts';
import type { FailureReason } from '../protocol/failure-reason.ts';
import type { AttemptOutcome, DecisionReason } from '../protocol/contracts/attempt-contract.ts';
import { isKeylessStart } from '../protocol/keyless-start.ts';
import { plural } from '../base/text.ts';
import { describeUnchanged } from './gates/no-progress.ts';
import { describePassedOver } from '../reports/runs/passed-over.ts';

/** The state between two events, and the log lines of the last event. */
export type SupervisorLog = {
  readonly lines: readonly string[];
  readonly attempts: number;
  /** The agent of the last attempt. */
  readonly agent: string | null;
  /** The key of the attempt that began after a crash, until it ends. */
  readonly restart: string | null;
};

export const EMPTY_SUPERVISOR_LOG: SupervisorLog = {
  lines: [],
  attempts: 0,
  agent: null,
  restart: null,
};

export function foldSupervisorLog(log: SupervisorLog, event: RunEvent): SupervisorLog {
  switch (event.type) {
    case 'command.begun':
      return commandBegun(log, event.payload);
    case 'command.ended':
      return commandEnded(log, event.payload);
    case 'signal.received': {
      const { kind } = event.payload.signal;
      const lines = {
        stop: '[supervisor] a person stopped the run',
        kill: '[supervisor] a person killed the run',
      };
      return withLines(log, kind === 'stop' || kind === 'kill' ? [lines[kind]] : []);
    }
    case 'run.ended': {
      const { kind } = event.payload.outcome;
      const isDone = kind === 'succeeded' || kind === 'unverified';
      const retries = log.attempts - 1;
      return withLines(
        log,
        isDone && retries > 0
          ? [`[supervisor] completed after ${plural(retries, 'retry', 'retries')}`]
          : [],
      );
    }
    case 'run.submitted':
    case 'run.forked':
    case 'command.noted':
    case 'command.cancelled':
      return withLines(log, []);
  }
}

function withLines(log: SupervisorLog, lines: readonly string[]): SupervisorLog {
  return { ...log, lines };
}

function commandBegun(log: SupervisorLog, { key, command, input }: CommandBegun): SupervisorLog {
  if (command === 'wait') {
    const { until, reason, why } = input;
    if (reason === 'retry') return withLines(log, [`[supervisor] ${why}`]);
    if (reason !== 'cooldown') return withLines(log, []);
    return withLines(log, [`[supervisor] cooling until ${new Date(until).toISOString()}: ${why}`]);
  }
  if (command !== 'attempt') return withLines(log, []);
  const { agent, why } = input;
  const line = describeAttempt(agent.id, log.agent, why);
  return {
    lines: line === undefined ? [] : [`[supervisor] ${line}`],
    // A person is no retry of the agent.
    attempts: log.attempts + (why.kind === 'takeover' ? 0 : 1),
    agent: agent.id,
    restart: why.kind === 'restart' ? key : null,
  };
}

/** A restart failed if the agent did not start. A failure after the start is not a failed restart. */
function commandEnded(log: SupervisorLog, ended: CommandEnded): SupervisorLog {
  const { key, command, end } = ended;
  if (isKeylessStart(ended))
    return { ...log, lines: [], attempts: log.attempts - 1, restart: null };
  if (key !== log.restart || command !== 'attempt') return withLines(log, []);
  const why =
    end.kind === 'defect' ? end.message : end.kind === 'done' ? notStarted(end.result) : null;
  const lines = why === null ? [] : [`[supervisor] restart failed: ${why}`];
  return { ...log, lines, restart: null };
}

const NOT_STARTED: ReadonlySet<FailureReason> = new Set(['start_refused', 'agent_missing']);

function notStarted(outcome: AttemptOutcome): string | null {
  return outcome.kind === 'failed' && NOT_STARTED.has(outcome.reason) ? outcome.message : null;
}

function describeAttempt(
  agent: string,
  before: string | null,
  why: DecisionReason,
): string | undefined {
  switch (why.kind) {
    case 'switch':
      return `${describeSwitch(why.from, agent)}${afterUnchanged(why)}${afterPassedOver('; ', why)}`;
    case 'first':
      return why.passedOver === undefined
        ? undefined
        : `starting with ${agent} (fallback, this run only)${afterPassedOver(': ', why)}`;
    case 'cooled-down':
    case 'named':
      return before === null || before === agent ? undefined : describeSwitch(before, agent);
    case 'restart':
      return `container crashed (exit ${why.exit ?? 'unknown'}), restarting...`;
    case 'retry':
      // One with a wait is logged when the wait begins.
      return why.waitMs > 0 || before === null ? undefined : describeRetry(agent, why);
    case 'gate':
      // The first attempt of a run is a retry only of the run that it continues, and a person asked for it.
      return before === null ? undefined : describeRetry(agent, why);
    case 'interrupted':
    case 'unattended':
    case 'answered':
    case 'cut-short':
    case 'continued':
    case 'new-session':
    case 'message':
    case 'takeover':
    case 'handed-back':
      return undefined;
    case 'turn':
      return why.cause === 'restarted' ? `restarted: life ${why.life} begins` : undefined;
  }
}

function afterPassedOver(mark: string, why: DecisionReason): string {
  const words = describePassedOver(why);
  return words === '' ? '' : `${mark}${words}`;
}

function afterUnchanged({ unchanged }: Extract<DecisionReason, { kind: 'switch' }>): string {
  return unchanged === undefined ? '' : `: ${describeUnchanged(unchanged)}`;
}

function describeSwitch(from: string, to: string): string {
  return `switching from ${from} to ${to} (fallback, this run only)`;
}

export function describeRetry(agent: string, why: DecisionReason): string | undefined {
  if (why.kind !== 'retry' && why.kind !== 'gate') return undefined;
  const seconds = why.kind === 'retry' ? Math.round(why.waitMs / 100) / 10 : 0;
  return `retry ${why.nth}/${why.of} with ${agent} in ${seconds}s`;
}
