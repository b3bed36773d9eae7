import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SteeringCase, SteeringVerdict } from './steering-report.ts';
import { steeringReport } from './steering-report.ts';

/** `untold` and `told`: how many runs failed, of how many. */
function cases(
  untold: readonly [number, number],
  told: readonly [number, number],
): readonly SteeringCase[] {
  const make = (
    [failed, all]: readonly [number, number],
    isTold: boolean,
  ): readonly SteeringCase[] =>
    Array.from({ length: all }, (_, nth) => ({
      ...{ run: `${isTold}-${nth}`, detector: 'loop', model: 'm', channel: 'hook', told: isTold },
      failed: nth < failed,
    }));
  return [...make(untold, false), ...make(told, true)];
}

describe('whether messages pay', () => {
  const table: [why: string, given: readonly SteeringCase[], expected: readonly unknown[]][] = [
    ['nothing was told yet', cases([30, 60], [0, 0]), [0.5, null, null, null, 'not-tried']],
    ['fewer than 50 cases', cases([10, 20], [0, 20]), [0.5, 1, 0, 0, 'too-few-cases']],
    ['told runs fail far less often', cases([60, 100], [15, 100]), [0.6, 0.75, 0, 0, 'pays']],
    [
      'told runs fail far more often',
      cases([20, 100], [60, 100]),
      [0.2, 0, 0.5, 1, 'does-not-pay'],
    ],
    ['the difference is small', cases([50, 100], [45, 100]), [0.5, 0.1, 0, 0, 'unclear']],
    ['there is no difference', cases([50, 100], [50, 100]), [0.5, 0, 0, null, 'unclear']],
  ];
  for (const [why, given, expected] of table)
    test(why, () => {
      const [row] = steeringReport(given);
      const round = (value: number | null | undefined): number | null =>
        value == null ? null : Math.round(value * 100) / 100;
      const seen = [row?.p?.share ?? null, row?.r, row?.d, row?.pStar].map(round);
      assert.deepEqual([...seen, row?.verdict satisfies SteeringVerdict | undefined], expected);
    });

  test('a run counts once for each detector, model and channel, and a run without a verdict is only listed', () => {
    const one: SteeringCase = {
      run: 'r',
      detector: 'stall',
      model: 'm',
      channel: 'gateway',
      told: false,
      failed: true,
    };
    const rows = steeringReport([
      one,
      { ...one, told: true },
      { ...one, run: 's', failed: null },
      { ...one, detector: 'cascade' },
      { ...one, model: 'a' },
      { ...one, channel: 'hook' },
    ]);
    assert.deepEqual(
      rows.map(({ detector, model, channel, cases: all, unjudged, untold, told }) => [
        detector,
        model,
        channel,
        all,
        unjudged,
        untold,
        told,
      ]),
      [
        ['cascade', 'm', 'gateway', 1, 0, 1, 0],
        ['stall', 'a', 'gateway', 1, 0, 1, 0],
        ['stall', 'm', 'hook', 1, 0, 1, 0],
        ['stall', 'm', 'gateway', 2, 1, 0, 1],
      ],
    );
  });

  test('bounds of few cases are wide', () => {
    const [row] = steeringReport(cases([1, 2], [0, 0]));
    assert.ok(row?.p != null && row.p.low < 0.1 && row.p.high > 0.9);
  });
});
