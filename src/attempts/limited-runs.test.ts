/** Random runs that limits hold up: each ends, and none waits longer than it may. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttemptScript, DrivenRunTrace } from '../../test/support/drive-attempts.ts';
import { driveAttempts, failed, settingsFor } from '../../test/support/drive-attempts.ts';
import type { Random } from '../base/random.ts';
import { randomInt, randomItem, seededRandom } from '../base/random.ts';
import type { AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const SCRIPTED_MAX = 500;
const SEEDS = 120;

type Play = { readonly script: AttemptScript; readonly worked: ReadonlySet<number> };

const anyLength = (random: Random): number =>
  randomItem(random, [1, SECOND, 10 * SECOND, 5 * MINUTE, HOUR, 3 * HOUR]);

function limitedOutcome(random: Random, isWork: boolean) {
  const resetIn = random() < 0.6 ? anyLength(random) : undefined;
  return (sinceStartMs: number): AttemptOutcome => ({
    ...failed('rate_limited', resetIn === undefined ? {} : { resetMs: sinceStartMs + resetIn }),
    ...(isWork ? { changed: true } : {}),
  });
}

/** Numbers of commands, each with a time that is lost then. */
function lost(random: Random, commands: readonly string[]): Record<string, number> {
  const share = randomItem(random, [0, 0.1, 1]);
  const keys = commands.flatMap((command) =>
    Array.from({ length: SCRIPTED_MAX }, (_, place) => `${command}-${place + 1}`),
  );
  return Object.fromEntries(
    keys.filter(() => random() < share).map((key) => [key, randomInt(random, 1, 72) * HOUR]),
  );
}

function randomPlay(seed: number): Play {
  const random = seededRandom(seed);
  const workShare = randomItem(random, [0, 0, 0.1]);
  const works = Array.from({ length: SCRIPTED_MAX }, () => random() < workShare);
  const agents = ['a', 'b', 'c', 'd'].slice(0, randomInt(random, 1, 4));
  const script: AttemptScript = {
    settings: settingsFor(
      agents,
      {
        preset: randomItem(random, ['fallback-first', 'retry-then-fallback', 'step-feedback']),
        attemptsMax: randomInt(random, 1, 5),
        cooldownMs: anyLength(random),
        waitMaxMs: anyLength(random),
        waitForReset: random() < 0.8,
      },
      { ignoreCooldown: random() < 0.2 },
    ),
    attempts: works.map((isWork) => limitedOutcome(random, isWork)),
    attemptMs: anyLength(random),
    cooling: random() < 0.3 ? { 'a::::::': anyLength(random) } : {},
    withoutCooldowns: random() < 0.2,
    pausedBefore: lost(random, ['attempt', 'set-cooldown', 'wait']),
    sleptIn: lost(random, ['attempt', 'wait']),
    movesMax: 4 * SCRIPTED_MAX,
  };
  return { script, worked: new Set(works.flatMap((isWork, place) => (isWork ? [place] : []))) };
}

/** The waits between two attempts that worked, each up to the end of its limit. */
function longestWaiting({ waits }: DrivenRunTrace, worked: ReadonlySet<number>): number {
  const stretches = new Map<number, number>();
  for (const { fromMs, untilMs, after } of waits) {
    const stretch = [...worked].filter((place) => place < after).length;
    stretches.set(stretch, (stretches.get(stretch) ?? 0) + Math.max(0, untilMs - fromMs));
  }
  return Math.max(0, ...stretches.values());
}

test('a run that limits hold up ends after few attempts and waits no longer than it may', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { script, worked } = randomPlay(seed);
    const { recovery, chain } = script.settings as ReturnType<typeof settingsFor>;
    const driven = driveAttempts(script);
    const attempts = driven.inputs.length;
    assert.match(driven.trace.at(-1) ?? '', /^(?:exhausted|failed): /, `seed ${seed}`);
    // Each try but the first two of an agent uses up a minute or more.
    const perSeries = (chain?.length ?? 1) * (3 + recovery.waitMaxMs / MINUTE);
    const attemptsMax = (recovery.attemptsMax ?? 0) * (1 + perSeries);
    assert.ok(attempts <= attemptsMax, `seed ${seed}: ${attempts} attempts`);
    const waited = longestWaiting(driven, worked);
    assert.ok(waited <= recovery.waitMaxMs, `seed ${seed}: it waited ${waited} ms`);
  }
});

test('lost time uses up nothing: an agent gets as many tries with it as without', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { script } = randomPlay(seed);
    const alone = {
      ...script,
      settings: { ...script.settings, chain: script.settings?.chain?.slice(0, 1) ?? [] },
      cooling: {},
    };
    const [prompt, late] = [{ ...alone, pausedBefore: {}, sleptIn: {} }, alone].map(
      (one) => driveAttempts(one).inputs.length,
    );
    assert.ok((late ?? 0) >= (prompt ?? 0), `seed ${seed}: ${late} tries instead of ${prompt}`);
  }
});
