import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Arm, TrialResult } from '../../protocol/ablation.ts';
import { compareArms, mcNemarExact } from './compare-arms.ts';
import { comparedWords } from './compared-words.ts';

const COMPARED = { template: 'mvp', step: 'review' };
type Verdict = TrialResult['verdict'];

function trial(task: number, arm: Arm, verdict: Verdict): TrialResult {
  const used = { durationMs: 1000, tokens: arm === 'with' ? 300 : 100, costUsd: null };
  return { task, round: 1, arm, run: 'r', verdict, why: '', ...used };
}

/** How the arm with the step ended, and the arm without it. */
type Pair = readonly [Verdict, Verdict];

function trials(...pairs: readonly Pair[]): readonly TrialResult[] {
  return pairs.flatMap(([one, other], task) => [
    trial(task, 'without', other),
    trial(task, 'with', one),
  ]);
}
const [WIN, LOSS, TIE] = [
  ['solved', 'unsolved'],
  ['unsolved', 'solved'],
  ['solved', 'solved'],
] as const;

describe("McNemar's exact test", () => {
  const cases: [why: string, wins: number, losses: number, p: number | null][] = [
    ['says nothing if no pair differs', 0, 0, null],
    ['cannot show anything with one pair', 1, 0, 1],
    ['is just above the usual bound with five to none', 5, 0, 0.0625],
    ['is below it with six to none', 0, 6, 0.03125],
    ['is 1 if both sides win equally often', 4, 4, 1],
    ['adds up both tails', 8, 2, 0.109375],
    ['is never above 1', 3, 2, 1],
  ];
  for (const [why, wins, losses, p] of cases)
    test(why, () => assert.equal(mcNemarExact(wins, losses), p));

  test('stays a number for the most pairs that a comparison has', () => {
    const p = mcNemarExact(60, 40);
    assert.ok(p !== null && p > 0.05 && p < 0.06, String(p));
  });
});

describe('a comparison', () => {
  test('counts wins, losses and ties by pair', () => {
    const { pairs, wins, losses, ties } = compareArms(trials(WIN, LOSS, TIE, WIN));
    assert.deepEqual([pairs, wins, losses, ties], [4, 2, 1, 1]);
  });

  test('leaves out a pair without a verdict, with its tokens', () => {
    const { pairs, voidPairs, arms } = compareArms(trials(TIE, ['solved', 'void']));
    assert.deepEqual([pairs, voidPairs, arms.with.tokens, arms.without.tokens], [1, 1, 300, 100]);
  });

  test('leaves out a pair whose second trial has not run', () => {
    assert.equal(compareArms(trials(WIN, TIE).slice(0, 3)).pairs, 1);
  });

  test('knows no sum of tokens if one count is unknown', () => {
    const [first, ...rest] = trials(TIE, TIE);
    assert.ok(first !== undefined);
    const { arms } = compareArms([{ ...first, tokens: null }, ...rest]);
    assert.deepEqual([arms.with.tokens, arms.without.tokens], [600, null]);
  });
});

describe('the words about a comparison', () => {
  const words = (...pairs: readonly Pair[]): readonly string[] =>
    comparedWords(COMPARED, compareArms(trials(...pairs)));

  test('say that chance explains a small difference, and how many pairs must differ', () =>
    assert.deepEqual(words(WIN, WIN, LOSS, TIE), [
      '4 pairs: better with review in 2, worse in 1, equal in 1.',
      'By chance alone, so uneven a result appears in 100 of 100 comparisons (p = 1.000), so this shows no effect of review.',
      'At least 6 pairs must differ before a comparison can show anything. Use more tasks, or --runs.',
    ]));

  test('say that a step probably helps, or hurts', () => {
    assert.match(
      words(...Array.from({ length: 8 }, () => WIN))[1] ?? '',
      /p = 0\.008\), so review probably helps/,
    );
    assert.match(
      words(...Array.from({ length: 12 }, () => LOSS))[1] ?? '',
      /p < 0\.001\), so review probably hurts/,
    );
  });

  test('say that nothing differs', () =>
    assert.equal(words(TIE, TIE)[1], 'No pair differs: these tasks show no effect of review.'));

  test('say that nothing has ended', () =>
    assert.deepEqual(words(), ['No pair of trials has ended, so nothing is compared.']));
});
