/** The four recovery presets, as data. A user can change the numbers that `recovery` names. */
import type { Settings } from '../../settings/settings.ts';

/** The wait before the same identity tries again: a table whose last value repeats, or a growing wait. */
export type RetryBackoff =
  | { readonly kind: 'table'; readonly waitsMs: readonly number[] }
  | {
      readonly kind: 'growing';
      readonly firstMs: number;
      readonly factor: number;
      readonly maxMs: number;
      /** The share by which a random number makes the wait longer or shorter. */
      readonly jitter: number;
    };

export type RecoveryPolicy = {
  /** How often the same identity tries again after a failure of the attempt. */
  readonly retriesPerAgent: number;
  readonly attemptsMax: number;
  readonly backoff: RetryBackoff;
  /** Waits before the same identity tries again after a limit; empty: it never does during its cooldown. */
  readonly limitWaitsMs: readonly number[];
  /** Whether a fatal failure ends the run even if it concerns the identity alone. */
  readonly fatalStops: boolean;
  /** How often a run restarts an agent after a crash, over all agents. A restart uses up no retry. */
  readonly crashRestarts: number;
  /** Whether a crash that is not restarted may be retried like any other failure. */
  readonly crashRetries: boolean;
  /** The run ends after this many failures within this time. */
  readonly breaker: { readonly failuresMax: number; readonly withinMs: number } | null;
  /** How often an agent may fix the findings of a gate. */
  readonly gateFixes: number;
  readonly cooldownMs: number;
  readonly waitForReset: boolean;
  readonly waitMaxMs: number;
};

type Preset = Omit<RecoveryPolicy, 'cooldownMs' | 'waitForReset' | 'waitMaxMs'>;
type PresetName = Settings['recovery']['preset'];

const TABLE: RetryBackoff = { kind: 'table', waitsMs: [5000, 15_000, 45_000] };

const FALLBACK_FIRST: Preset = {
  retriesPerAgent: 0,
  attemptsMax: 30,
  backoff: TABLE,
  limitWaitsMs: [],
  fatalStops: false,
  crashRestarts: 0,
  crashRetries: true,
  breaker: null,
  gateFixes: 3,
};

const PRESETS: Readonly<Record<PresetName, Preset>> = {
  'fallback-first': FALLBACK_FIRST,
  'retry-then-fallback': {
    ...FALLBACK_FIRST,
    retriesPerAgent: 3,
    limitWaitsMs: [60_000, 120_000, 300_000],
    fatalStops: true,
    crashRestarts: 1,
    crashRetries: false,
  },
  'step-feedback': {
    ...FALLBACK_FIRST,
    // Each agent tries three times. Then the next agent of the chain continues, until the breaker ends the run.
    retriesPerAgent: 2,
    backoff: { kind: 'growing', firstMs: 2000, factor: 2, maxMs: 30_000, jitter: 0.1 },
    breaker: { failuresMax: 5, withinMs: 300_000 },
    gateFixes: 2,
  },
  // The supervisor of the run restarts it and counts the restarts. Within the run, each agent has one attempt.
  'supervised-restart': FALLBACK_FIRST,
};

export function recoveryPolicy(recovery: Omit<Settings['recovery'], 'ask'>): RecoveryPolicy {
  const { preset, retriesPerAgent, attemptsMax, cooldownMs, waitForReset, waitMaxMs } = recovery;
  const base = PRESETS[preset];
  return {
    ...base,
    retriesPerAgent: retriesPerAgent ?? base.retriesPerAgent,
    attemptsMax: attemptsMax ?? base.attemptsMax,
    cooldownMs,
    waitForReset,
    waitMaxMs,
  };
}

/** `nth` counts from one, and `random` is in [0, 1). */
export function retryDelayMs(backoff: RetryBackoff, nth: number, random: number): number {
  switch (backoff.kind) {
    case 'table':
      return nthDelay(backoff.waitsMs, nth);
    case 'growing': {
      const { firstMs, factor, maxMs, jitter } = backoff;
      const plain = Math.min(maxMs, firstMs * factor ** (nth - 1));
      return Math.round(plain * (1 + jitter * (2 * random - 1)));
    }
  }
}

/** The last delay repeats. */
export function nthDelay(waitsMs: readonly number[], nth: number): number {
  return waitsMs[nth - 1] ?? waitsMs.at(-1) ?? 0;
}
