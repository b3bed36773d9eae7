/**
 * Events around the trees of one world, drawn from its seed: what users do with saved work, and
 * faults in the middle of it.
 */
import type { Random } from '../../../src/base/random.ts';
import { randomInt, randomItem } from '../../../src/base/random.ts';
import type { Timed } from './machine-faults.ts';

/** A fault before the last of so many steps on trees. */
export type Interruption = { readonly steps: number } & (
  | { readonly kind: 'crash' | 'power'; readonly downMs: number }
  /** A user writes a file of the project whose tree is in use. */
  | { readonly kind: 'edit'; readonly path: string }
  /** A user writes the very file that is about to change. */
  | { readonly kind: 'edit-at-hand' }
);

/** `nth` selects among the runs that have ended. */
export type TreesAct =
  | {
      readonly kind: 'apply';
      readonly nth: number;
      /** The same command is sent again after it was answered. */
      readonly again: boolean;
      readonly meanwhile: readonly Interruption[];
    }
  | {
      readonly kind: 'discard';
      readonly nth: number;
      readonly meanwhile: readonly Interruption[];
    }
  /** Only runs that ended this long ago. */
  | {
      readonly kind: 'prune';
      readonly agoMs: number;
      readonly meanwhile: readonly Interruption[];
    }
  | { readonly kind: 'edit'; readonly project: string; readonly path: string };

export type TreesScenario = {
  readonly acts: readonly Timed<TreesAct>[];
  /** Steps are counted from then on, whichever component does them. */
  readonly interruptions: readonly Timed<Interruption>[];
  /** How long a step of a user's command takes. */
  readonly slowMs: number;
  /** The probability that an agent leaves a file that no ref can hold. */
  readonly unkeepable: number;
};

const LIKELY = 0.35;
/** The files of projects, which agents and users write to. */
export const PATHS = ['a.txt', 'b.txt', 'c.txt', 'd/e.txt', 'd/f.txt'] as const;
const STEPS_MAX = 45;

/** Null: a world without trees. */
export function drawTrees(
  random: Random,
  { horizonMs, isAtPeace }: { readonly horizonMs: number; readonly isAtPeace: boolean },
): TreesScenario | null {
  if (random() >= LIKELY) return null;
  const strikes = (): readonly Interruption[] =>
    Array.from({ length: random() < 0.7 ? randomInt(random, 1, 2) : 0 }, () =>
      drawInterruption(random, isAtPeace),
    );
  const times = (low: number, high: number): readonly number[] =>
    Array.from({ length: randomInt(random, low, high) }, () => Math.floor(random() * horizonMs));
  const applies = times(2, 6).map((atMs) => ({
    ...({ kind: 'apply', nth: randomInt(random, 0, 1000), again: random() < 0.4 } as const),
    meanwhile: strikes(),
    atMs,
  }));
  const discards = times(0, 2).map((atMs) => ({
    ...({ kind: 'discard', nth: randomInt(random, 0, 1000), meanwhile: strikes() } as const),
    atMs,
  }));
  const prunes = times(0, 3).map((atMs) => ({
    ...({
      kind: 'prune',
      agoMs: randomItem(random, [0, 0, 60_000]),
      meanwhile: strikes(),
    } as const),
    atMs,
  }));
  const edits = times(0, 4).map((atMs) => ({
    kind: 'edit' as const,
    project: `/projects/${randomInt(random, 1, 3)}`,
    path: randomItem(random, PATHS),
    atMs,
  }));
  return {
    acts: [...applies, ...discards, ...prunes, ...edits].toSorted((a, b) => a.atMs - b.atMs),
    interruptions: times(0, 4).map((atMs) => ({ ...drawInterruption(random, isAtPeace), atMs })),
    slowMs: randomItem(random, [0, 0, 3, 400]),
    unkeepable: random() < 0.3 ? 0.2 : 0,
  };
}

function drawInterruption(random: Random, isAtPeace: boolean): Interruption {
  const steps = randomInt(random, 1, STEPS_MAX);
  if (isAtPeace || random() < 0.4)
    return random() < 0.5
      ? { kind: 'edit', steps, path: randomItem(random, PATHS) }
      : { kind: 'edit-at-hand', steps };
  const kind = random() < 0.7 ? 'crash' : 'power';
  return { kind, steps, downMs: randomInt(random, 0, 20_000) };
}
