/** When a program is told about retries and agent switches: before the wait that precedes an attempt. */
import type { RunEvent } from '../protocol/event.ts';
import { agentIdentity } from '../reports/runs/attempt-history.ts';

export type RetryNotice =
  | { readonly kind: 'switch'; readonly from: string; readonly to: string }
  | {
      readonly kind: 'retry';
      /** The number of retries in the run, with this one. */
      readonly count: number;
      readonly agent: string;
      readonly delayMs: number;
      /** The end of the delay, in milliseconds since 1970. */
      readonly until: number;
    };

type LastAttempt = { readonly agent: string; readonly identity: string };

/** The state between two events, and the notices of the last event. */
export type RetryNotices = {
  readonly notices: readonly RetryNotice[];
  /** How many attempts have begun. */
  readonly begun: number;
  readonly last: LastAttempt | null;
  /** The agent of the next attempt, if it was announced before its wait. */
  readonly announced: string | null;
};

export const NO_RETRY_NOTICES: RetryNotices = {
  notices: [],
  begun: 0,
  last: null,
  announced: null,
};

export function foldRetryNotices(before: RetryNotices, event: RunEvent): RetryNotices {
  const state = { ...before, notices: [] };
  if (event.type !== 'command.begun') return state;
  const { payload } = event;
  if (payload.command === 'wait') return announceWait(state, payload.input, event.at);
  if (payload.command !== 'attempt') return state;
  const { agent } = payload.input;
  const next = { agent: agent.id, identity: agentIdentity(agent) };
  return {
    notices: state.last === null ? [] : beginNotices(state, state.last, next, event.at),
    begun: state.begun + 1,
    last: next,
    announced: null,
  };
}

/** An attempt is announced once, also if its wait begins again because the owner died. */
function announceWait(
  state: RetryNotices,
  { agent, until }: { readonly agent?: string; readonly until: number },
  at: number,
): RetryNotices {
  const { begun, last, announced } = state;
  if (agent === undefined || last === null || announced !== null) return state;
  const delayMs = Math.max(0, until - at);
  const retry = { kind: 'retry', count: begun, agent, delayMs, until } as const;
  const moved = { kind: 'switch', from: last.agent, to: agent } as const;
  const notices = last.agent === agent ? [retry] : [moved, retry];
  return { ...state, notices, announced: agent };
}

/** An attempt that begins without a wait, or with another agent than the one that was announced. */
function beginNotices(
  { begun, announced }: RetryNotices,
  last: LastAttempt,
  next: LastAttempt,
  at: number,
): readonly RetryNotice[] {
  const isMoved = next.identity !== last.identity;
  const knowsMove = announced === next.agent && announced !== last.agent;
  return [
    ...(isMoved && !knowsMove
      ? [{ kind: 'switch', from: last.agent, to: next.agent } as const]
      : []),
    ...(announced === null
      ? [{ kind: 'retry', count: begun, agent: next.agent, delayMs: 0, until: at } as const]
      : []),
  ];
}
