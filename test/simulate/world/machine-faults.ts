/** Faults of the machine and of owners, drawn from the seed of a world. */
import type { Random } from '../../../src/base/random.ts';
import { randomInt, seededRandom } from '../../../src/base/random.ts';

export type Timed<What> = What & { readonly atMs: number };

/** A fault at an instant. Faults with `forMs` end after that time. */
export type Fault =
  | { readonly kind: 'owner-crash'; readonly downMs: number }
  | { readonly kind: 'crash-before-write'; readonly writes: number; readonly downMs: number }
  | { readonly kind: 'crash-after-write'; readonly writes: number; readonly downMs: number }
  /**
   * Power loss of the whole machine: at once, or when the last of so many writes is committed and
   * not yet synced.
   */
  | { readonly kind: 'power-cut'; readonly writes: number; readonly downMs: number }
  | { readonly kind: 'owner-restart'; readonly downMs: number }
  /**
   * Another owner opens the same state while this one continues: it has lost its lock without
   * noticing.
   */
  | { readonly kind: 'owner-overlap'; readonly forMs: number }
  | { readonly kind: 'disk-full'; readonly forMs: number }
  | { readonly kind: 'slow-disk'; readonly forMs: number; readonly delayMs: number }
  | { readonly kind: 'clock-forward'; readonly ms: number }
  | { readonly kind: 'clock-back'; readonly ms: number }
  | { readonly kind: 'network-outage'; readonly forMs: number };

type Drawn = Exclude<Fault['kind'], 'power-cut'>;

export const FAULTS: readonly Drawn[] = [
  'owner-crash',
  'crash-before-write',
  'crash-after-write',
  'owner-restart',
  'owner-overlap',
  'disk-full',
  'slow-disk',
  'clock-forward',
  'clock-back',
  'network-outage',
];

export function drawFault(random: Random, kind: Drawn): Fault {
  const downMs = randomInt(random, 0, 20_000);
  switch (kind) {
    case 'owner-crash':
    case 'owner-restart':
      return { kind, downMs };
    case 'crash-before-write':
    case 'crash-after-write':
      return { kind, downMs, writes: randomInt(random, 1, 6) };
    case 'owner-overlap':
      return { kind, forMs: randomInt(random, 0, 30_000) };
    case 'disk-full':
      return { kind, forMs: randomInt(random, 1, 40_000) };
    case 'slow-disk':
      return { kind, forMs: randomInt(random, 1000, 60_000), delayMs: randomInt(random, 1, 2000) };
    case 'clock-forward':
    case 'clock-back':
      return { kind, ms: randomInt(random, 1, 600_000) };
    case 'network-outage':
      return { kind, forMs: randomInt(random, 1000, 120_000) };
  }
}

const POWER_SEED = 0x70e4c7;

/** Drawn from a separate random stream, so that worlds without these faults stay the same. */
export function drawPowerCuts(seed: number, horizonMs: number): readonly Timed<Fault>[] {
  const random = seededRandom(seed + POWER_SEED);
  const length = random() < 0.35 ? randomInt(random, 1, 2) : 0;
  return Array.from({ length }, () => ({
    kind: 'power-cut',
    writes: random() < 0.3 ? 0 : randomInt(random, 1, 6),
    downMs: randomInt(random, 0, 20_000),
    atMs: randomInt(random, 0, horizonMs),
  }));
}
