/** What the loop says of its own decisions, line by line, out of the facts alone. */
import type { CommandBegun, CommandEnded } from '../protocol/commands.ts';
import type { RunEvent } from '../protocol/event.ts';
import type { FailureReason } from '../protocol/failure-reason.ts';
import type { AttemptOutcome, DecisionReason } from '../protocol/attempt-contract.ts';

/** What has to be remembered from one fact to the next, and the lines of the last one. */
export type SupervisorLog = {
  readonly lines: readonly string[];
  readonly attempts: number;
  /** Who made the last attempt. */
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
      return begun(log, event.payload);
    case 'command.ended':
      return ended(log, event.payload);
    case 'signal.received': {
      const { kind } = event.payload.signal;
      const words = { stop: 'user_cancel requested', kill: 'user_kill requested' };
      return said(log, kind === 'stop' || kind === 'kill' ? [words[kind]] : []);
    }
    case 'run.ended': {
      const { kind } = event.payload.outcome;
      const isDone = kind === 'succeeded' || kind === 'unverified';
      const retries = log.attempts - 1;
      return said(
        log,
        isDone && retries > 0 ? [`[supervisor] completed after ${retries} retries`] : [],
      );
    }
    case 'run.submitted':
    case 'run.forked':
    case 'command.noted':
    case 'command.cancelled':
      return said(log, []);
  }
}

function said(log: SupervisorLog, lines: readonly string[]): SupervisorLog {
  return { ...log, lines };
}

function begun(log: SupervisorLog, { key, command, input }: CommandBegun): SupervisorLog {
  if (command === 'wait') {
    const { until, why } = input;
    if (key.startsWith('backoff-')) return said(log, [`[supervisor] ${why}`]);
    if (!key.startsWith('cooling-')) return said(log, []);
    return said(log, [`[supervisor] cooling until ${new Date(until).toISOString()}: ${why}`]);
  }
  if (command !== 'attempt') return said(log, []);
  const { agent, why } = input;
  const line = attemptWords(agent.id, log.agent, why);
  return {
    lines: line === undefined ? [] : [`[supervisor] ${line}`],
    attempts: log.attempts + 1,
    agent: agent.id,
    restart: why.kind === 'restart' ? key : null,
  };
}

/** A restart failed if the agent did not start again. Any later end is an end like any other. */
function ended(log: SupervisorLog, { key, command, end }: CommandEnded): SupervisorLog {
  if (key !== log.restart || command !== 'attempt') return said(log, []);
  const why =
    end.kind === 'defect' ? end.message : end.kind === 'done' ? notStarted(end.result) : null;
  const lines = why === null ? [] : [`[supervisor] restart failed: ${why}`];
  return { ...log, lines, restart: null };
}

const NOT_STARTED: ReadonlySet<FailureReason> = new Set(['start_refused', 'agent_missing']);

function notStarted(outcome: AttemptOutcome): string | null {
  return outcome.kind === 'failed' && NOT_STARTED.has(outcome.reason) ? outcome.message : null;
}

function attemptWords(
  agent: string,
  before: string | null,
  why: DecisionReason,
): string | undefined {
  switch (why.kind) {
    case 'switch':
      return switchWords(why.from, agent);
    case 'rested':
      return before === null || before === agent ? undefined : switchWords(before, agent);
    case 'restart':
      return `container crashed (exit ${why.exit ?? 'unknown'}), restarting...`;
    case 'retry':
      return why.waitMs > 0 ? undefined : describeRetry(agent, why); // said when the wait began
    case 'gate':
      return describeRetry(agent, why);
    case 'first':
    case 'lost':
    case 'nobody':
    case 'answered':
    case 'cut-short':
    case 'afresh':
      return undefined;
    case 'turn':
      return why.cause === 'restarted' ? `restarted: life ${why.life} begins` : undefined;
  }
}

function switchWords(from: string, to: string): string {
  return `switching from ${from} to ${to} (fallback, this run only)`;
}

export function describeRetry(agent: string, why: DecisionReason): string | undefined {
  if (why.kind !== 'retry' && why.kind !== 'gate') return undefined;
  const seconds = why.kind === 'retry' ? Math.round(why.waitMs / 100) / 10 : 0;
  return `retry ${why.nth}/${why.of} with ${agent} in ${seconds}s`;
}
