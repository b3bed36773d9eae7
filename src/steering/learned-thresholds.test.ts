import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  bash,
  edit,
  failed,
  read,
  recordsOf,
  turn,
  turns,
} from '../../test/support/turn-script.ts';
import type { PinnedSteering } from '../protocol/contracts/steering-contract.ts';
import { DEFAULT_STEERING } from '../protocol/contracts/steering-contract.ts';
import type { HealthyPeak } from './learned-thresholds.ts';
import { foldPeaks, healthyPeaks, NO_PEAKS, withLearned } from './learned-thresholds.ts';
import { choosePolicy } from './steering-policy.ts';

const peak = (stall: number, about: Partial<HealthyPeak> = {}): HealthyPeak => ({
  ...{ model: 'm', domain: 'coding' },
  peaks: { 'stall.turns': stall, 'stagnation.calls': 0, 'loop.repeats': 0 },
  ...about,
});
const runs = (count: number, ...about: Parameters<typeof peak>): readonly HealthyPeak[] =>
  Array.from({ length: count }, () => peak(...about));

describe('the limit of a stall', () => {
  type Case = [
    why: string,
    healthy: readonly HealthyPeak[],
    limit: number,
    pinned?: Partial<PinnedSteering>,
  ];
  const cases: Case[] = [
    ['is the default without earlier runs', [], 12],
    ['is the default with too few of them', runs(49, 20), 12],
    ['is one more than nine of ten healthy runs show', [...runs(45, 17), ...runs(5, 30)], 18],
    ['is not that of the one in ten', [...runs(44, 17), ...runs(6, 30)], 31],
    ['has the default as its floor', runs(50, 2), 12],
    ['has a ceiling', runs(50, 500), 36],
    ['is that of the same work', [...runs(50, 17), ...runs(50, 25, { domain: 'testing' })], 18],
    ['is that of the model without enough of it', runs(50, 25, { domain: 'testing' }), 26],
    ['is not that of another model', runs(90, 17, { model: 'n' }), 12],
    ['is what you set', runs(90, 17), 14, { thresholds: { 'stall.turns': 14 } }],
    ['is the default if nothing may be learned', runs(90, 17), 12, { learn: false }],
  ];
  for (const [why, healthy, limit, pinned = {}] of cases)
    test(why, () => {
      const policy = choosePolicy({ ...DEFAULT_STEERING, ...pinned }, { model: 'm', role: null });
      const learned = withLearned(policy, healthy, { model: 'm', domain: 'coding' });
      assert.equal(learned.thresholds['stall.turns'], limit);
    });
});

test('the most that a conversation shows is its peak, and most of its turns name its work', () => {
  const script = [
    ...turns(3, (nth) => turn(edit(`${nth}.ts`))),
    ...turns(4, () => turn(failed('make'))),
    ...turns(7, () => turn(bash('ls', 'a'))),
    turn(edit('b.ts')),
    ...turns(9, (nth) => turn(edit(`more ${nth}.ts`))),
    turn(read('b.ts')),
  ];
  const folded = recordsOf(script).reduce(
    (fold, record) => foldPeaks(fold, 'attempt-1', record),
    NO_PEAKS,
  );
  assert.deepEqual(healthyPeaks(folded), [
    {
      ...{ model: 'some-model', domain: 'coding' },
      peaks: { 'stall.turns': 6, 'stagnation.calls': 7, 'loop.repeats': 4 },
    },
  ]);
});
