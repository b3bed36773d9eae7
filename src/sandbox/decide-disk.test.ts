import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DiskCount, DiskDoubt, DiskVerdict } from './decide-disk.ts';
import { decideDisk, NO_DOUBT } from './decide-disk.ts';

const MAX = 100;
const quiet: DiskCount = { bytes: 10, uncounted: null, changed: false, held: 'none' };
const changed: DiskCount = { ...quiet, changed: true };
const escaped: DiskCount = { ...changed, held: 'some' };
const doubt = (changedInRow: number, escapedInRow = 0): DiskDoubt => ({
  changedInRow,
  escapedInRow,
});
const within = (left: DiskDoubt): DiskVerdict => ({ kind: 'within', doubt: left });
const over: DiskVerdict = { kind: 'over' };

describe('H7: the verdict on a disk count', () => {
  const cases: [why: string, count: DiskCount, before: DiskDoubt, verdict: DiskVerdict][] = [
    ['exactly the limit is within it', { ...quiet, bytes: MAX }, NO_DOUBT, within(NO_DOUBT)],
    ['more than the limit is over it', { ...quiet, bytes: MAX + 1 }, NO_DOUBT, over],
    ['more, although something changed', { ...changed, bytes: MAX + 1 }, NO_DOUBT, over],
    ['what cannot be counted is over the limit', { ...quiet, uncounted: 'deep' }, NO_DOUBT, over],
    ['a first change is a doubt', changed, NO_DOUBT, within(doubt(1))],
    ['a second change is a doubt too', changed, doubt(1), within(doubt(2))],
    [
      'a third change in a row asks for a hold',
      changed,
      doubt(2),
      { kind: 'hold', doubt: doubt(3) },
    ],
    ['a cancelled hold is asked for again', changed, doubt(3), { kind: 'hold', doubt: doubt(4) }],
    [
      'a small count does not end the doubt',
      { ...changed, bytes: 0 },
      doubt(2),
      { kind: 'hold', doubt: doubt(3) },
    ],
    ['a quiet count ends all doubt', quiet, doubt(2, 2), within(NO_DOUBT)],
    [
      'a count with all processes paused ends all doubt',
      { ...changed, held: 'all' },
      doubt(3, 2),
      within(NO_DOUBT),
    ],
    [
      'too much while all are paused is over the limit',
      { ...changed, held: 'all', bytes: MAX + 1 },
      doubt(3),
      over,
    ],
    ['a change while some processes ran on is a doubt', escaped, doubt(3), within(doubt(0, 1))],
    ['later counts keep that doubt', changed, doubt(0, 1), within(doubt(1, 1))],
    ['processes that can never be paused count as over the limit', escaped, doubt(3, 2), over],
    [
      'processes that ran on without a change end the doubt',
      { ...quiet, held: 'some' },
      doubt(3, 2),
      within(NO_DOUBT),
    ],
  ];
  for (const [why, count, before, verdict] of cases)
    test(why, () => assert.deepEqual(decideDisk(count, MAX, before), verdict));
});
