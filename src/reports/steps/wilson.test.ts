import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { wilsonInterval } from './wilson.ts';

describe('the interval of a share', () => {
  // The values are those of the published formula, rounded to tenths of a percent.
  const cases: [why: string, happened: number, cases: number, expected: readonly number[]][] = [
    ['is wide for one case that happened', 1, 1, [20.7, 100]],
    ['is wide for one case that did not happen', 0, 1, [0, 79.3]],
    ['stays above 0 % at the top if nothing happened in ten', 0, 10, [0, 27.8]],
    ['is not centred on the share', 3, 10, [10.8, 60.3]],
    ['is symmetric for one half', 50, 100, [40.4, 59.6]],
    ['is narrow for many cases', 900, 1000, [88, 91.7]],
    ['ends at 100 % if it happened always', 10, 10, [72.2, 100]],
  ];
  for (const [why, happened, count, expected] of cases)
    test(why, () => {
      const { low, high } = wilsonInterval(happened, count) ?? { low: -1, high: -1 };
      const tenths = (share: number): number => Math.round(share * 1000) / 10;
      assert.deepEqual([tenths(low), tenths(high)], expected);
    });

  test('does not exist without a case', () => assert.equal(wilsonInterval(0, 0), undefined));
});
