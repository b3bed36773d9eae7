import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CoverageFigures } from '../protocol/contracts/gate-contract.ts';
import type { MeasuredCoverage } from './measured-coverage.ts';
import { coverageIn, leastCoverage } from './measured-coverage.ts';

const cases: [why: string, gates: CoverageFigures[], expected: MeasuredCoverage | undefined][] = [
  ['nothing was measured', [], undefined],
  [
    'the changed lines count if less of them is covered',
    [{ percent: 90, changedPercent: 0 }],
    { percent: 0, unlisted: [] },
  ],
  [
    'the lowest of several gates counts',
    [{ percent: 90 }, { percent: 70 }],
    { percent: 70, unlisted: [] },
  ],
  [
    'a file that one of the reports has is measured',
    [
      { percent: 90, unlisted: ['a.js', 'b.js'] },
      { percent: 90, unlisted: ['b.js'] },
    ],
    { percent: 90, unlisted: ['b.js'] },
  ],
];
for (const [why, gates, expected] of cases)
  test(why, () => {
    assert.deepEqual(leastCoverage(gates.map(coverageIn)), expected);
  });
