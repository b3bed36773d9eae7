import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeFailure, describeRedGate, tellingLine } from './red-gate-words.ts';

/** What real test runners, compilers and linters print, without most frames of a stack. */
const OUTPUTS: readonly (readonly [tool: string, output: string, expected: string])[] = [
  [
    'npm without such a command',
    `Unknown command: "tset"

Did you mean this?
  npm set # Set a value in the npm configuration
To see a list of supported npm commands, run:
  npm help`,
    'Unknown command: "tset"',
  ],
  [
    'node:test',
    `
> test
> node --test cart.test.js

✖ adds the prices (1.217336ms)
✔ is empty at first (0.164765ms)
ℹ tests 2
ℹ fail 1
ℹ duration_ms 301.984607

✖ failing tests:

test at cart.test.js:2:1
✖ adds the prices (1.217336ms)
  AssertionError [ERR_ASSERTION]: -5 == 5
      at TestContext.<anonymous> (cart.test.js:2:38)
      at startSubtestAfterBootstrap (node:internal/test_runner/harness:387:17) {
    generatedMessage: true,
    code: 'ERR_ASSERTION',
    actual: -5,
    expected: 5,
    operator: '==',
    diff: 'simple'
  }
`,
    'adds the prices',
  ],
  [
    'the end of node:test alone',
    `      at Test.start (node:internal/test_runner/test:1262:17) {
    generatedMessage: true,
    code: 'ERR_ASSERTION',
    [cause]: TypeError: Cannot read properties of undefined (reading 'x')
  }
`,
    "[cause]: TypeError: Cannot read properties of undefined (reading 'x')",
  ],
  [
    'TAP',
    `TAP version 13
# Subtest: adds the prices
not ok 1 - adds the prices
  ---
  error: 'Expected values to be strictly equal'
  ...
1..1
# fail 1
`,
    'not ok 1 - adds the prices',
  ],
  [
    'vitest',
    `
\u001B[1m\u001B[30m\u001B[46m RUN \u001B[49m\u001B[39m\u001B[22m \u001B[36mv5.1.0 \u001B[39m

 \u001B[31m❯\u001B[39m cart.spec.mjs \u001B[2m(\u001B[22m\u001B[2m2 tests\u001B[22m\u001B[2m | \u001B[22m\u001B[31m1 failed\u001B[39m\u001B[2m)\u001B[22m
\u001B[31m     \u001B[31m×\u001B[31m adds the prices\u001B[39m\u001B[32m 6\u001B[2mms\u001B[22m\u001B[39m

\u001B[41m\u001B[1m FAIL \u001B[22m\u001B[49m cart.spec.mjs\u001B[2m > \u001B[22mcart\u001B[2m > \u001B[22madds the prices
\u001B[31m\u001B[1mAssertionError\u001B[22m: expected -5 to be 5 // Object.is equality\u001B[39m

\u001B[2m Test Files \u001B[22m \u001B[1m\u001B[31m1 failed\u001B[39m\u001B[22m\u001B[90m (1)\u001B[39m
\u001B[2m   Duration \u001B[22m 648ms
`,
    'FAIL cart.spec.mjs > cart > adds the prices',
  ],
  [
    'jest',
    `FAIL ./cart.spec.js
  cart
    ✕ adds the prices (8 ms)
    ✓ is empty (2 ms)

  ● cart › adds the prices

    expect(received).toBe(expected) // Object.is equality

    Expected: 5
    Received: -5

      at Object.toBe (cart.spec.js:2:78)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 passed, 2 total
Time:        0.77 s
Ran all test suites matching cart.spec.js.
`,
    'cart › adds the prices',
  ],
  [
    'mocha',
    `
  cart
    1) adds the prices
    ✔ is empty

  1 passing (4ms)
  1 failing

  1) cart
       adds the prices:

      AssertionError [ERR_ASSERTION]: -5 == 5
      + expected - actual

      --5
      +5

      at process.processImmediate (node:internal/timers:574:21)
`,
    'AssertionError [ERR_ASSERTION]: -5 == 5',
  ],
  [
    'pytest',
    `    def test_mean():
>       assert stats.mean([1, 2, 3]) == 2
E       assert 3.0 == 2
E        +  where 3.0 = <function mean at 0x7fe2ecd46fc0>([1, 2, 3])

test_p.py:4: AssertionError
=========================== short test summary info ============================
FAILED test_p.py::test_mean - assert 3.0 == 2
 +  where 3.0 = <function mean at 0x7fe2ecd46fc0>([1, 2, 3])
============================== 1 failed in 1.29s ===============================
`,
    'FAILED test_p.py::test_mean - assert 3.0 == 2',
  ],
  [
    'unittest',
    `F.
======================================================================
FAIL: test_mean (test_u.StatsTest.test_mean)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "test_u.py", line 5, in test_mean
    self.assertEqual(stats.mean([1, 2, 3]), 2)
AssertionError: 3.0 != 2

----------------------------------------------------------------------
Ran 2 tests in 0.005s

FAILED (failures=1)
`,
    'FAIL: test_mean (test_u.StatsTest.test_mean)',
  ],
  [
    'a script of Python',
    `Traceback (most recent call last):
  File "check.py", line 1, in <module>
    import missing
ModuleNotFoundError: No module named 'missing'
`,
    "ModuleNotFoundError: No module named 'missing'",
  ],
  [
    'go test',
    '--- FAIL: TestAdd (0.00s)\n    add_test.go:7: Add(2, 3) = -1, want 5\nFAIL\nFAIL\texample.com/m\t0.005s\nFAIL\n',
    '--- FAIL: TestAdd',
  ],
  [
    'go test on code that can not be built',
    '# example.com/m [example.com/m.test]\n./add.go:3:37: undefined: c\nFAIL\texample.com/m [build failed]\nFAIL\n',
    './add.go:3:37: undefined: c',
  ],
  [
    'cargo test',
    `running 2 tests
test tests::one ... ok
test tests::adds ... FAILED

failures:

---- tests::adds stdout ----

thread 'tests::adds' (23859) panicked at src/lib.rs:5:17:
assertion \`left == right\` failed
  left: -1
 right: 5

failures:
    tests::adds

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.23s

error: test failed, to rerun pass \`--lib\`
`,
    'test tests::adds ... FAILED',
  ],
  [
    'cargo test on code that can not be built',
    `error[E0308]: mismatched types
 --> src/lib.rs:1:37
  |
1 | pub fn add(a: i32, b: i32) -> i32 { "x" }
  |                               ---   ^^^ expected \`i32\`, found \`&str\`

For more information about this error, try \`rustc --explain E0308\`.
error: could not compile \`m\` (lib) due to 1 previous error
`,
    'error[E0308]: mismatched types',
  ],
  [
    'tsc',
    `a.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'.
a.ts(2,14): error TS2322: Type 'number' is not assignable to type 'string'.
`,
    "a.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'.",
  ],
  [
    'eslint',
    `
src/cart.js
   3:1  warning  Unexpected console statement                  no-console
   7:9  error    'sum' is assigned a value but never used  no-unused-vars

✖ 2 problems (1 error, 1 warning)

`,
    "src/cart.js:7:9 error 'sum' is assigned a value but never used no-unused-vars",
  ],
  ['make', 'make: *** [Makefile:2: test] Error 1\n', 'make: *** [Makefile:2: test] Error 1'],
  [
    'make with a compiler',
    `gcc -c a.c
a.c: In function ‘main’:
a.c:1:25: error: ‘x’ undeclared (first use in this function)
    1 | int main(void) { return x; }
      |                         ^
make: *** [Makefile:2: all] Error 1
`,
    'a.c:1:25: error: ‘x’ undeclared (first use in this function)',
  ],
  [
    'a gate that is ended at its time limit',
    '✖ a slow test failed before (3ms)\nran longer than its limit of 600 s',
    'ran longer than its limit of 600 s',
  ],
  [
    'a silent gate',
    '[supervisor] this check printed nothing and ended with exit code 3',
    'it printed nothing and ended with exit code 3',
  ],
  [
    'a script, with a remark of Supervisor',
    '3 of 4 pages are missing\n}\n[supervisor] these tests were run as they were before the work began: a.test.js; make the work pass them',
    '3 of 4 pages are missing',
  ],
  ['only braces', '}\n});\n', ''],
];

describe('the most telling line of', () => {
  for (const [tool, output, expected] of OUTPUTS)
    test(tool, () => assert.equal(tellingLine(output), expected));

  test('a long line is cut between two words', () => {
    const line = tellingLine(`Error: ${'many words '.repeat(60)}`);
    assert.match(line, /^Error: many words .* (?:many|words)…$/);
    assert.ok(line.length <= 200, String(line.length));
  });
});

describe('a red gate', () => {
  const red = { name: 'test', kind: 'failed', output: 'AssertionError: 3.0 != 2\n}' } as const;
  const counts = { passed: 3, skipped: 0, runners: ['node:test'] };
  const counted = (...failing: readonly string[]) => ({
    ...counts,
    failed: failing.length,
    failing,
  });
  const cases: readonly (readonly [
    why: string,
    gate: Parameters<typeof describeRedGate>[0],
    expected: string,
  ])[] = [
    [
      'is described by the names of its failed tests',
      { ...red, counted: counted('cart.test.js: adds', 'cart.test.js: rounds') },
      'gate test failed: cart.test.js: adds; cart.test.js: rounds',
    ],
    [
      'has three names, and the number of the others',
      { ...red, counted: counted('a', 'b', 'c', 'd', 'e') },
      'gate test failed: a; b; c; and 2 more',
    ],
    [
      'counts failed tests without a name among the others',
      { ...red, counted: { ...counts, failed: 9, failing: ['a'] } },
      'gate test failed: a; and 8 more',
    ],
    [
      'is described by its output if no name is known',
      { ...red, counted: { ...counts, failed: 1 } },
      'gate test failed: AssertionError: 3.0 != 2',
    ],
    [
      'is described by its test report if that contradicts its exit code',
      { ...red, reported: ['the test run of node:test ended early: 3 of 12 tests reported'] },
      'gate test failed: the test run of node:test ended early: 3 of 12 tests reported',
    ],
    ['without a word has failed', { ...red, output: '}\n' }, 'gate test failed'],
    [
      'that could not run says why, without the remarks for the agent',
      { ...red, kind: 'unable', output: 'npm is not there\n[supervisor] this check …' },
      'gate test could not run: npm is not there',
    ],
  ];
  for (const [why, gate, expected] of cases)
    test(why, () => assert.equal(describeRedGate(gate), expected));

  test('with the longest names stays short', () => {
    const names = Array.from({ length: 9 }, (_, nth) => `${nth}${' long name'.repeat(30)}`);
    const words = describeRedGate({ ...red, counted: counted(...names) });
    assert.ok(words.length <= 300, String(words.length));
  });
});

test('a test file that cannot be loaded is named once', () => {
  const path = 'test/cart.test.js';
  assert.equal(
    describeFailure({ name: path, file: path, line: 1, message: 'test failed' }),
    'test/cart.test.js:1: test failed',
  );
});
