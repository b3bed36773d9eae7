/** What the loop says of its own decisions, line by line, out of the facts alone. */
import { isRecord } from '../base/json.ts';
import type { Payload, StoredEvent } from '../protocol/event.ts';
import type { Why } from './decision.ts';

/** What has to be remembered from one fact to the next, and the lines of the last one. */
export type Log = {
  readonly lines: readonly string[];
  readonly attempts: number;
  /** Who made the last attempt. */
  readonly agent: string | null;
};

export const EMPTY_LOG: Log = { lines: [], attempts: 0, agent: null };

export function followLog(log: Log, event: StoredEvent): Log {
  switch (event.type) {
    case 'command.begun':
      return begun(log, event.payload);
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
    case 'command.ended':
    case 'owner.started':
    case 'owner.stopped':
    case 'apply.begun':
    case 'apply.ended':
    case 'cooldown.set':
    case 'cooldown.cleared':
    case 'notice.begun':
    case 'notice.ended':
    case 'prune.begun':
    case 'prune.ended':
    case 'tree.kept':
    case 'tree.restarting':
    case 'watch.noted':
    case 'watch.kept':
      return said(log, []);
  }
}

function said(log: Log, lines: readonly string[]): Log {
  return { ...log, lines };
}

function begun(log: Log, { key, command, input }: Payload<'command.begun'>): Log {
  if (command === 'wait') {
    const why = String(input['why']);
    if (key.startsWith('backoff-')) return said(log, [`[supervisor] ${why}`]);
    if (!key.startsWith('cooling-')) return said(log, []);
    const until = new Date(Number(input['until'])).toISOString();
    return said(log, [`[supervisor] cooling until ${until}: ${why}`]);
  }
  if (command !== 'attempt') return said(log, []);
  const agent = isRecord(input['agent']) ? String(input['agent']['id']) : '';
  const why = isRecord(input['why']) ? (input['why'] as Why) : null;
  const line = why === null ? undefined : attemptWords(agent, log.agent, why);
  return {
    lines: line === undefined ? [] : [`[supervisor] ${line}`],
    attempts: log.attempts + 1,
    agent,
  };
}

function attemptWords(agent: string, before: string | null, why: Why): string | undefined {
  switch (why.kind) {
    case 'switch':
      return switchWords(why.from, agent);
    case 'rested':
      return before === null || before === agent ? undefined : switchWords(before, agent);
    case 'restart':
      return `container crashed (exit ${why.exit ?? 'unknown'}), restarting...`;
    case 'retry':
      return why.waitMs > 0 ? undefined : retryWords(agent, why); // said when the wait began
    case 'gate':
      return retryWords(agent, why);
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

export function retryWords(agent: string, why: Why): string | undefined {
  if (why.kind !== 'retry' && why.kind !== 'gate') return undefined;
  const seconds = why.kind === 'retry' ? Math.round(why.waitMs / 100) / 10 : 0;
  return `retry ${why.nth}/${why.of} with ${agent} in ${seconds}s`;
}
