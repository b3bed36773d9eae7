import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReportedTests } from './reported-tests.ts';
import { readTap } from './tap-report.ts';

const NOTHING = { passed: 0, failed: 0, skipped: 0, failures: [] };

const NODE = `TAP version 13
# Subtest: cart
    # Subtest: adds
    not ok 1 - adds
      ---
      duration_ms: 0.9
      location: '/w/cart.test.js:12:3'
      failureType: 'testCodeFailure'
      error: |-
        Expected values to be strictly equal:

        3 !== 4

      code: 'ERR_ASSERTION'
      expected: 4
      ...
    1..1
not ok 1 - cart
  ---
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
1..1
# tests 1
# fail 1
`;

const CASES: readonly (readonly [
  why: string,
  tap: string,
  expected: Partial<ReportedTests> | undefined,
])[] = [
  ['other text is no report', 'everything is ok\nnot okay', undefined],
  ['a plan of nothing is a report', '1..0', {}],
  [
    'tests are counted',
    '1..4\nok 1 - a\nok 2 b\nok 3 - c # SKIP no network\nnot ok 4 - d # TODO later',
    { passed: 2, skipped: 2 },
  ],
  [
    'the first failure of node:test is the inner one',
    NODE,
    {
      failed: 1,
      failures: [
        {
          name: 'cart › adds',
          file: '/w/cart.test.js',
          line: 12,
          message: 'Expected values to be strictly equal: 3 !== 4',
        },
      ],
    },
  ],
  [
    'keys of other runners are read',
    "not ok 1 - a\n  ---\n  message: 'no'\n  file: a.js\n  line: 3\n  ...\n1..1",
    { failed: 1, failures: [{ name: 'a', file: 'a.js', line: 3, message: 'no' }] },
  ],
  [
    'a failure without a block has its name',
    'not ok 1 - a\n1..1',
    { failed: 1, failures: [{ name: 'a' }] },
  ],
  ['a failure without a name is one', 'not ok\n1..1', { failed: 1, failures: [{ name: '' }] }],
  [
    'tests that are missing break the report',
    '1..3\nok 1',
    { passed: 1, broken: 'its plan is 3, and 1 have a result' },
  ],
  [
    'a bail out breaks the report',
    'ok 1\nBail out! no database',
    { passed: 1, broken: 'Bail out! no database' },
  ],
  ['lines of the tests themselves are left out', 'hello\nok 1 - a\nokay\n1..1', { passed: 1 }],
];

describe('a TAP report', () => {
  for (const [why, tap, expected] of CASES)
    test(why, () =>
      assert.deepEqual(
        readTap(tap),
        expected === undefined ? undefined : { ...NOTHING, ...expected },
      ),
    );
});
