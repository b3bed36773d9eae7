import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownTail } from './show-base-check.ts';

const CASES: readonly (readonly [why: string, tail: string, shown: readonly string[]])[] = [
  [
    'the summary and the inner frames of TAP are left out',
    `    error: |-
      -5 !== 5
    stack: |-
      TestContext.<anonymous> (cart.test.js:4:27)
      Test.runInAsyncScope (node:async_hooks:206:9)
      new Test (node:internal/test_runner/test:12:5)
      node:internal/test_runner/harness:255:12
    ...
1..1
# tests 1
# pass 0
# duration_ms 100.26
`,
    [
      '    error: |-',
      '      -5 !== 5',
      '    stack: |-',
      '      TestContext.<anonymous> (cart.test.js:4:27)',
    ],
  ],
  [
    'the inner frames of a stack are left out, and those of the project stay',
    'Error: no\n    at total (cart.js:2:1)\n    at Module._load (node:internal/modules/cjs:1:1)\n',
    ['Error: no', '    at total (cart.js:2:1)'],
  ],
  [
    'a line that only mentions the runtime stays',
    'see node:internal/errors for # tests',
    ['see node:internal/errors for # tests'],
  ],
  ['empty lines at both ends are left out', '\n\nFAILED\n\n', ['FAILED']],
  ['the last fifteen lines are shown', 'x\n'.repeat(40), Array.from({ length: 15 }, () => 'x')],
];

for (const [why, tail, shown] of CASES)
  test(`the end of a red output: ${why}`, () => assert.deepEqual(shownTail(tail), shown));
