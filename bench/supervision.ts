/**
 * The cost of a restart while the window already holds many, beside OTP's own in the same run. On
 * both sides a child is killed, and killed again as soon as it is up.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Instant } from '../src/base/clock.ts';
import { at } from '../src/base/clock.ts';
import { systemClock } from '../src/host/machine/system-clock.ts';
import { RestartWindow } from '../src/supervision/restart-window.ts';
import { Supervisor } from '../src/supervision/supervisor.ts';
import { FakeChild } from '../src/testing/fakes/fake-child.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import { hasErlang } from '../test/otp/erlang.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

const WINDOWS = [10, 100, 1000, 10_000, 100_000] as const;

type SupervisionFigures = {
  /** Nanoseconds for one decision, by the number of restarts that the window holds. */
  readonly decisionNs: ReadonlyMap<number, number>;
  readonly restartsPerSecond: ReadonlyMap<number, number>;
  /** Undefined without Erlang. */
  readonly otpRestartsPerSecond: ReadonlyMap<number, number> | undefined;
};

/** The bars of this part. */
export async function figures(): Promise<readonly Figure[]> {
  return supervisionFigures(await measureSupervision(2000));
}

/**
 * Flat from the smallest window to the largest; OTP's own restarts beside ours, if Erlang is
 * installed.
 */
function supervisionFigures({
  decisionNs,
  restartsPerSecond,
  otpRestartsPerSecond,
}: SupervisionFigures): readonly Figure[] {
  const smallest = decisionNs.get(10) ?? Number.NaN;
  return [...decisionNs].flatMap(([window, ns]): Figure[] => {
    const perSecond = restartsPerSecond.get(window) ?? Number.NaN;
    const otp = otpRestartsPerSecond?.get(window);
    return [
      {
        name: `restart decision of ${window}`,
        value: ns / smallest,
        unit: '×',
        yardstick: `a window of 10 restarts; ${ns.toFixed(0)} ns`,
        atMost: 3,
      },
      {
        name: `restarts/s, ${window} in window`,
        value: perSecond / (otp ?? perSecond),
        unit: '×',
        yardstick: `OTP's own: ${otp ?? 'not here'}; ours: ${perSecond}`,
      },
    ];
  });
}

async function measureSupervision(rounds: number): Promise<SupervisionFigures> {
  const otpRestartsPerSecond = hasErlang() ? await otp(rounds) : undefined;
  const restartsPerSecond = new Map<number, number>();
  await ours(10, rounds); // warms up
  for (const window of WINDOWS) restartsPerSecond.set(window, await ours(window, rounds));
  return { decisionNs: decisions(), restartsPerSecond, otpRestartsPerSecond };
}

const DECISIONS = 200_000;
const SLICES = 9;

/** The slices of all windows alternate, so that a busy machine slows all of them. */
function decisions(): ReadonlyMap<number, number> {
  const taken = new Map<number, number[]>(WINDOWS.map((window) => [window, []]));
  for (let slice = -1; slice < SLICES; slice += 1) {
    for (const [window, slices] of taken) {
      const ns = decisionNs(window);
      if (slice >= 0) slices.push(ns); // the first only warms up
    }
  }
  return new Map([...taken].map(([window, slices]) => [window, median(slices)]));
}

function decisionNs(window: number): number {
  const full = Array.from({ length: window }, (_, ms) => at(ms));
  const restarts = new RestartWindow({ restartsMax: window, withinMs: window }, full);
  const start = performance.now();
  for (let n = 1; n <= DECISIONS; n += 1)
    if (!restarts.admit(at(window + 2 * n))) throw new Error('a restart was not allowed');
  return ((performance.now() - start) * 1e6) / DECISIONS;
}

/** The window is as full as OTP's: so many restarts just now, and room for more. */
async function ours(window: number, rounds: number): Promise<number> {
  const now = systemClock.now();
  const restarts = Array.from({ length: window }, (): Instant => now);
  let up = Promise.withResolvers<FakeChild>();
  const supervisor = await Supervisor.start(
    {
      intensity: { restartsMax: 1_000_000, withinMs: 3_600_000 },
      history: { restarts, children: {} },
      children: [
        {
          id: 'child',
          start: async () => {
            const child = new FakeChild();
            up.resolve(child);
            return { kind: 'started', child };
          },
        },
      ],
    },
    { clock: systemClock },
  );
  const start = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    const child = await up.promise;
    up = Promise.withResolvers();
    child.kill();
  }
  await up.promise;
  const perSecond = (rounds * 1000) / (performance.now() - start);
  await supervisor.stop();
  return Math.round(perSecond);
}

async function otp(rounds: number): Promise<ReadonlyMap<number, number>> {
  await using folder = await tempDir();
  execFileSync('erlc', [
    '-o',
    folder.path,
    fileURLToPath(new URL('restarts.erl', import.meta.url)),
  ]);
  const args = ['-noshell', '-pa', folder.path, '-run', 'restarts', 'main', rounds, ...WINDOWS];
  const printed = execFileSync('erl', args.map(String), { encoding: 'utf8', timeout: 120_000 });
  const lines = printed.trim().split('\n');
  return new Map(lines.map((line) => line.split(' ').map(Number) as [number, number]));
}
