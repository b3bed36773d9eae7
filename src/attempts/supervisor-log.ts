/** What the loop says of its own decisions, line by line, out of the facts alone. */
import { isRecord } from '../base/json.ts';
import type { Payload, RunEvent } from '../protocol/event.ts';
import type { DecisionReason } from './decision.ts';

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

function begun(
  log: SupervisorLog,
  { key, command, input }: Payload<'command.begun'>,
): SupervisorLog {
  if (command === 'wait') {
    const why = String(input['why']);
    if (key.startsWith('backoff-')) return said(log, [`[supervisor] ${why}`]);
    if (!key.startsWith('cooling-')) return said(log, []);
    const until = new Date(Number(input['until'])).toISOString();
    return said(log, [`[supervisor] cooling until ${until}: ${why}`]);
  }
  if (command !== 'attempt') return said(log, []);
  const agent = isRecord(input['agent']) ? String(input['agent']['id']) : '';
  const why = isRecord(input['why']) ? (input['why'] as DecisionReason) : null;
  const line = why === null ? undefined : attemptWords(agent, log.agent, why);
  return {
    lines: line === undefined ? [] : [`[supervisor] ${line}`],
    attempts: log.attempts + 1,
    agent,
    restart: why?.kind === 'restart' ? key : null,
  };
}

/** A restart has failed if nothing was started again; what ended later is an end like any other. */
function ended(log: SupervisorLog, { key, end }: Payload<'command.ended'>): SupervisorLog {
  if (key !== log.restart) return said(log, []);
  const why =
    end.kind === 'defect' ? end.message : end.kind === 'done' ? notStarted(end.result) : null;
  const lines = why === null ? [] : [`[supervisor] restart failed: ${why}`];
  return { ...log, lines, restart: null };
}

const NOT_STARTED: ReadonlySet<unknown> = new Set(['start_refused', 'agent_missing']);

function notStarted({ kind, reason, message }: Readonly<Record<string, unknown>>): string | null {
  return kind === 'failed' && NOT_STARTED.has(reason) ? String(message) : null;
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
