/** What follows a failure, as data: four presets. A user can change those of their numbers that `recovery` names. */
import type { Settings } from '../settings/settings.ts';

/** How long to wait before the same identity tries again: a table whose last value repeats, or a growing wait. */
export type RetryBackoff =
  | { readonly kind: 'table'; readonly waitsMs: readonly number[] }
  | {
      readonly kind: 'growing';
      readonly firstMs: number;
      readonly factor: number;
      readonly maxMs: number;
      /** The share by which random makes it longer or shorter. */
      readonly jitter: number;
    };

export type RecoveryPolicy = {
  /** How often the same identity tries again after a failure of the attempt. */
  readonly retriesPerAgent: number;
  readonly attemptsMax: number;
  readonly backoff: RetryBackoff;
  /** Waits before the same identity tries again after a limit; empty: it never does while it cools. */
  readonly limitWaitsMs: readonly number[];
  /** Whether a fatal failure ends the run even where it concerns the identity alone. */
  readonly fatalStops: boolean;
  /** After a crash the same identity begins afresh so often in a run, which uses up no retry. */
  readonly crashRestarts: number;
  /** Whether a crash that is not restarted may be retried like any other failure. */
  readonly crashRetries: boolean;
  /** So many failures within that time end the run. */
  readonly breaker: { readonly failuresMax: number; readonly withinMs: number } | null;
  /** How often an agent may mend what a gate found. */
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

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
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
    // Three tries an agent; a chain goes on after them, and the breaker bounds it.
    retriesPerAgent: 2,
    backoff: { kind: 'growing', firstMs: 2000, factor: 2, maxMs: 30_000, jitter: 0.1 },
    breaker: { failuresMax: 5, withinMs: 300_000 },
    gateFixes: 2,
  },
  // A run under it is begun again by its supervisor, who counts; inside, it has one attempt an agent.
  'supervised-restart': FALLBACK_FIRST,
};

/** Older runs have no settings for this: they go on with the one agent that they have. */
export function recoveryPolicy(recovery: Settings['recovery'] | undefined): RecoveryPolicy {
  const { preset, retriesPerAgent, attemptsMax, cooldownMs, waitForReset, waitMaxMs } =
    recovery ?? BEFORE_RECOVERY;
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

const BEFORE_RECOVERY: Settings['recovery'] = {
  preset: 'fallback-first',
  retriesPerAgent: 0,
  attemptsMax: Number.MAX_SAFE_INTEGER,
  cooldownMs: 3_600_000,
  waitForReset: false,
  waitMaxMs: 0,
};

/** `nth` counts from one; `random` is in [0, 1). */
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

/** The last one repeats. */
export function nthDelay(waitsMs: readonly number[], nth: number): number {
  return waitsMs[nth - 1] ?? waitsMs.at(-1) ?? 0;
}
