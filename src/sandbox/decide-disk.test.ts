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

describe('H7: what a count of the disk says', () => {
  const cases: [why: string, count: DiskCount, before: DiskDoubt, verdict: DiskVerdict][] = [
    ['as much as is allowed', { ...quiet, bytes: MAX }, NO_DOUBT, within(NO_DOUBT)],
    ['more than is allowed', { ...quiet, bytes: MAX + 1 }, NO_DOUBT, over],
    ['more, although something changed', { ...changed, bytes: MAX + 1 }, NO_DOUBT, over],
    ['what can not be counted may be anything', { ...quiet, uncounted: 'deep' }, NO_DOUBT, over],
    ['a first change is a doubt', changed, NO_DOUBT, within(doubt(1))],
    ['and a second one', changed, doubt(1), within(doubt(2))],
    ['a third in a row asks for a hold', changed, doubt(2), { kind: 'hold', doubt: doubt(3) }],
    [
      'a hold that was called off is asked for again',
      changed,
      doubt(3),
      { kind: 'hold', doubt: doubt(4) },
    ],
    [
      'how little it shows is no excuse',
      { ...changed, bytes: 0 },
      doubt(2),
      { kind: 'hold', doubt: doubt(3) },
    ],
    ['a quiet count ends all doubt', quiet, doubt(2, 2), within(NO_DOUBT)],
    ['so does one with all held still', { ...changed, held: 'all' }, doubt(3, 2), within(NO_DOUBT)],
    ['too much while all are held', { ...changed, held: 'all', bytes: MAX + 1 }, doubt(3), over],
    ['some that ran on while it changed are a doubt', escaped, doubt(3), within(doubt(0, 1))],
    ['a doubt that later counts keep', changed, doubt(0, 1), within(doubt(1, 1))],
    ['what never can be held outruns us', escaped, doubt(3, 2), over],
    ['some that ran on change nothing', { ...quiet, held: 'some' }, doubt(3, 2), within(NO_DOUBT)],
  ];
  for (const [why, count, before, verdict] of cases)
    test(why, () => assert.deepEqual(decideDisk(count, MAX, before), verdict));
});
