/** The kinds of agents that live long, and what each is worth: how often it is restarted, how long it waits, who sees it. */
import type { AgentKind } from '../protocol/long-lived-agent.ts';
import type { Backoff, Intensity, Restart } from '../supervision/index.ts';

/** As seen by a person. Every one is in the log, and an escalation is always shown. */
export type Visibility = 'shown' | 'badge' | 'silent';

export type KindRules = {
  readonly restart: Restart;
  readonly intensity: Intensity;
  /** Null: at once. */
  readonly backoff: Backoff | null;
  readonly shutdownMs: number;
  /** What happens when it may not be restarted once more: its supervisor is told, or it is simply gone. */
  readonly whenSpent: 'escalate' | 'reap';
  readonly visibility: Visibility;
};

const SECOND_MS = 1000;

export const KIND_RULES: Readonly<Record<AgentKind, KindRules>> = {
  root: {
    restart: 'permanent',
    intensity: { restartsMax: 10, withinMs: 3600 * SECOND_MS },
    backoff: { baseMs: 5 * SECOND_MS, maxMs: 300 * SECOND_MS },
    shutdownMs: 30 * SECOND_MS,
    whenSpent: 'escalate',
    visibility: 'shown',
  },
  mortal: {
    restart: 'transient',
    intensity: { restartsMax: 3, withinMs: 300 * SECOND_MS },
    backoff: { baseMs: 2 * SECOND_MS, maxMs: 60 * SECOND_MS },
    shutdownMs: 30 * SECOND_MS,
    whenSpent: 'escalate',
    visibility: 'badge',
  },
  drone: {
    restart: 'transient',
    intensity: { restartsMax: 1, withinMs: 60 * SECOND_MS },
    backoff: null,
    shutdownMs: 5 * SECOND_MS,
    whenSpent: 'reap',
    visibility: 'silent',
  },
  monitor: {
    restart: 'permanent',
    intensity: { restartsMax: 3, withinMs: 300 * SECOND_MS },
    backoff: { baseMs: 2 * SECOND_MS, maxMs: 60 * SECOND_MS },
    shutdownMs: 30 * SECOND_MS,
    whenSpent: 'escalate',
    visibility: 'silent',
  },
};
