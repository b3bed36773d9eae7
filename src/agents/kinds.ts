/** The kinds of long-lived agents: how often each is restarted, after which wait, and how visible it is. */
import type { AgentKind } from '../protocol/long-lived-agent.ts';
import type { Backoff, Intensity, Restart } from '../supervision/index.ts';

/** For people. Every agent is in the log, and an escalation is always shown. */
type Visibility = 'shown' | 'badge' | 'silent';

export type KindRules = {
  readonly restart: Restart;
  readonly intensity: Intensity;
  /** Null: restart at once. */
  readonly backoff: Backoff | null;
  readonly shutdownMs: number;
  /** When its restarts are exhausted: escalate to a person, or remove it. */
  readonly whenExhausted: 'escalate' | 'reap';
  readonly visibility: Visibility;
};

const SECOND_MS = 1000;

export const KIND_RULES: Readonly<Record<AgentKind, KindRules>> = {
  root: {
    restart: 'permanent',
    intensity: { restartsMax: 10, withinMs: 3600 * SECOND_MS },
    backoff: { baseMs: 5 * SECOND_MS, maxMs: 300 * SECOND_MS },
    shutdownMs: 30 * SECOND_MS,
    whenExhausted: 'escalate',
    visibility: 'shown',
  },
  mortal: {
    restart: 'transient',
    intensity: { restartsMax: 3, withinMs: 300 * SECOND_MS },
    backoff: { baseMs: 2 * SECOND_MS, maxMs: 60 * SECOND_MS },
    shutdownMs: 30 * SECOND_MS,
    whenExhausted: 'escalate',
    visibility: 'badge',
  },
  drone: {
    restart: 'transient',
    intensity: { restartsMax: 1, withinMs: 60 * SECOND_MS },
    backoff: null,
    shutdownMs: 5 * SECOND_MS,
    whenExhausted: 'reap',
    visibility: 'silent',
  },
  monitor: {
    restart: 'permanent',
    intensity: { restartsMax: 3, withinMs: 300 * SECOND_MS },
    backoff: { baseMs: 2 * SECOND_MS, maxMs: 60 * SECOND_MS },
    shutdownMs: 30 * SECOND_MS,
    whenExhausted: 'escalate',
    visibility: 'silent',
  },
};
