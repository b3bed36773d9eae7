/** How the reporters of go test and cargo test read the output of test programs. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import type { TestTally } from '../protocol/contracts/gate-contract.ts';

type Results = {
  readonly hear: (line: string) => void;
  readonly plan: (planned: readonly string[]) => number;
  readonly tally: () => TestTally;
  readonly hasPassed: () => boolean;
  readonly lastFailed: () => string | undefined;
};
type Go = {
  readonly countResults: (names: readonly string[]) => Results;
  readonly declaredTests: (
    texts: readonly string[],
    isBuilt: (name: string) => boolean,
  ) => readonly string[];
  readonly plannedTests: (names: readonly string[], args: readonly string[]) => readonly string[];
  readonly quietly: (print: (text: string) => void) => {
    readonly hear: (line: string, end: string) => void;
    readonly end: () => void;
  };
};
type Libtest = {
  readonly listArgs: (args: readonly string[]) => readonly string[];
  readonly listedTests: (text: string) => number | undefined;
  readonly summaryOf: (line: string) => TestTally | undefined;
  readonly failedTest: (line: string) => string;
};
const load = createRequire(import.meta.url);
const go = load('./runners/go-output.cjs') as Go;
const libtest = load('./runners/libtest-output.cjs') as Libtest;

describe('a package of Go', () => {
  test('declares tests in its test files, as far as they are built', () => {
    const text = `func TestMain(m *testing.M) {}
func TestA(t *testing.T) {}
func Testify() {}
func TestWindows(t *testing.T) {}
func FuzzF(f *testing.F) {}
func ExampleE() {}
func helper() { TestX(t) }
`;
    const found = go.declaredTests([text, text], (name) => name !== 'TestWindows');
    assert.deepEqual(found, ['TestA', 'FuzzF', 'ExampleE']);
  });

  const NAMES = ['TestA', 'TestAB', 'FuzzF', 'ExampleE'];
  const plans: [why: string, args: readonly string[], planned: readonly string[]][] = [
    ['all but examples', [], ['TestA', 'TestAB', 'FuzzF']],
    ['those of a pattern', ['-test.run=^TestA$'], ['TestA']],
    ['those of the first part of a pattern', ['-test.run=AB/x'], ['TestAB']],
    ['none of what is skipped', ['-test.skip=AB'], ['TestA', 'FuzzF']],
    ['those of which only parts are skipped', ['-test.skip=AB/x'], ['TestA', 'TestAB', 'FuzzF']],
    ['what begins, by a pattern that only Go reads', ['-test.run=(?i)a'], []],
    ['what begins, by alternatives in depth', ['-test.run=A/x|B/y'], []],
  ];
  for (const [why, args, planned] of plans)
    test(`plans ${why}`, () => assert.deepEqual(go.plannedTests(NAMES, args), planned));
});

describe('the output of a test program of Go', () => {
  const outputs: [
    why: string,
    lines: readonly string[],
    expected: readonly [passed: number, failed: number, skipped: number, plan: number, ok: boolean],
  ][] = [
    [
      'counts tests and not their parts',
      [
        '=== RUN   TestA',
        '=== RUN   TestA/x',
        '--- PASS: TestA (0.00s)',
        '    --- PASS: TestA/x (0.00s)',
        '--- SKIP: TestB (0.00s)',
        'PASS',
      ],
      [1, 0, 1, 2, true],
    ],
    [
      'counts a result behind what a test has printed',
      ['x--- PASS: TestA (0.00s)', ' y--- FAIL: TestB (1.20s)', 'FAIL'],
      [1, 1, 0, 2, false],
    ],
    [
      'misses a test that began and did not end',
      ['=== RUN   TestA', '--- PASS: TestA (0.00s)', '=== RUN   TestB'],
      [1, 0, 0, 2, false],
    ],
    ['misses a test that never began', ['--- PASS: TestA (0.00s)', 'PASS'], [1, 0, 0, 2, true]],
    [
      'has no end when a test prints one',
      ['PASS', '--- PASS: TestA (0.00s)', '--- PASS: TestB (0.00s)'],
      [2, 0, 0, 2, false],
    ],
    [
      'counts no results of tests that are not its own',
      ['--- FAIL: TestOther (0.00s)', 'FAIL', '--- PASS: TestA (0.00s)', 'PASS'],
      [1, 0, 0, 2, true],
    ],
  ];
  for (const [why, lines, [passed, failed, skipped, plan, ok]] of outputs)
    test(why, () => {
      const results = go.countResults(['TestA', 'TestB']);
      for (const line of lines) results.hear(line);
      assert.deepEqual(
        [results.tally(), results.plan(['TestA', 'TestB']), results.hasPassed()],
        [{ passed, failed, skipped }, plan, ok],
      );
    });

  test('names a test that failed, once, and no test of another program', () => {
    const results = go.countResults(['TestA', 'TestB']);
    const named = [
      '--- PASS: TestA (0.00s)',
      ' y--- FAIL: TestB (1.20s)',
      '    b_test.go:4: why',
      '--- FAIL: TestOther (0.00s)',
    ].map((line) => {
      results.hear(line);
      return results.lastFailed();
    });
    assert.deepEqual(named, [undefined, 'TestB', undefined, undefined]);
  });

  test('is printed as it would be without -v', () => {
    const printed: string[] = [];
    const quiet = go.quietly((text) => void printed.push(text));
    for (const line of [
      '=== RUN   TestA',
      '    a_test.go:3: quiet',
      'said--- PASS: TestA (0.00s)',
      '=== RUN   TestB',
      '    a_test.go:4: why',
      '--- FAIL: TestB (0.00s)',
      'FAIL',
    ])
      quiet.hear(line, '\n');
    quiet.end();
    assert.equal(printed.join(''), 'said--- FAIL: TestB (0.00s)\n    a_test.go:4: why\nFAIL\n');
  });
});

describe('the output of a test program of Rust', () => {
  const lists: [why: string, text: string, count: number | undefined][] = [
    ['has a list with an end', 'a: test\nb: benchmark\n\n1 test, 1 benchmark\n', 2],
    ['has an empty list', '\n0 tests, 0 benchmarks\n', 0],
    ['has no list when it ended early', '', undefined],
    ['has no list when the count is another', 'a: test\n\n2 tests, 0 benchmarks\n', undefined],
  ];
  for (const [why, text, count] of lists)
    test(why, () => assert.equal(libtest.listedTests(text), count));

  test('is listed with the same filters, whatever it looks like', () =>
    assert.deepEqual(
      libtest.listArgs(['-q', 'one', '--format', 'json', '--nocapture', '--ignored']),
      ['one', '--ignored', '--list'],
    ));

  const summaries: [why: string, line: string, expected: TestTally | undefined][] = [
    [
      'ends with a summary',
      'test result: ok. 3 passed; 0 failed; 1 ignored; 2 measured; 0 filtered out; finished in 0.00s',
      { passed: 5, failed: 0, skipped: 1 },
    ],
    [
      'ends with one in colour',
      'test result: \u001b[31mFAILED\u001b[m. 0 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out',
      { passed: 0, failed: 1, skipped: 0 },
    ],
    [
      'ends with one as JSON',
      '{ "type": "suite", "event": "ok", "passed": 1, "failed": 0, "ignored": 2, "measured": 0 }',
      { passed: 1, failed: 0, skipped: 2 },
    ],
    ['has lines that are none', 'test a ... ok', undefined],
  ];
  for (const [why, line, expected] of summaries)
    test(why, () => assert.deepEqual(libtest.summaryOf(line), expected));

  const failures: [why: string, line: string, name: string][] = [
    ['names a test that failed', 'test tests::adds ... FAILED', 'tests::adds'],
    [
      'names one that failed in colour',
      'test tests::adds ... \u001b[31mFAILED\u001b[m',
      'tests::adds',
    ],
    ['names no test that passed', 'test tests::adds ... ok', ''],
    ['names no test in a summary', 'test result: FAILED. 0 passed; 1 failed', ''],
  ];
  for (const [why, line, name] of failures)
    test(why, () => assert.equal(libtest.failedTest(line), name));
});
