import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeFailure } from '../protocol/words/red-gate-words.ts';
import { checkCoverage, judgeCoverage, judgeReport, readTestReport } from './read-findings.ts';

const REPORTS: readonly (readonly [why: string, report: string, text: string, reds: string])[] = [
  ['a green report adds nothing', 'r.xml', '<testsuite><testcase name="a"/></testsuite>', ''],
  [
    'a failed test makes the gate red',
    'r.xml',
    '<testsuite><testcase name="a"><failure/></testcase></testsuite>',
    'its report r.xml has 1 failed test',
  ],
  ['a file may have TAP', 'r.tap', '1..1\nnot ok 1 - a', 'its report r.tap has 1 failed test'],
  ['standard output has TAP', 'stdout', 'hello\n1..1\nok 1', ''],
  ['XML on standard output is not read', 'stdout', '<testsuite/>', 'its output is no TAP'],
  ['text is no report', 'r.xml', 'passed', 'its report r.xml is neither JUnit XML nor TAP'],
  [
    'a report that is cut makes the gate red',
    'r.tap',
    '1..2\nok 1',
    'its report r.tap is not whole: its plan is 2, and 1 have a result',
  ],
  [
    'a failure in a subtest is one, whatever its parent says',
    'r.tap',
    '    not ok 1 - a\nok 1 - b\n1..1',
    'its report r.tap has 1 failed test',
  ],
];

describe('the report of a gate', () => {
  for (const [why, report, text, reds] of REPORTS)
    test(why, () => assert.equal(judgeReport(report, text).reds.join('; '), reds));
});

describe('a gate without a report', () => {
  const read = () => assert.fail('no file is read');
  const cases: readonly (readonly [why: string, stdout: string, failures: readonly string[]])[] = [
    [
      'has the first failures that it printed as TAP, and no more',
      'TAP version 13\nnot ok 1 - adds\n  ---\n  error: "3 !== 4"\n  ...\n1..1',
      ['adds: 3 !== 4'],
    ],
    ['has none if that is no whole TAP', 'not ok 1 - adds\n1..1', []],
  ];
  for (const [why, stdout, expected] of cases)
    test(why, async () => {
      const { basis, reds } = await readTestReport({}, read, stdout);
      assert.deepEqual(reds, []);
      assert.deepEqual((basis.failures ?? []).map(describeFailure), expected);
    });
});

type Count = readonly [hit: number, found: number];
type Case = readonly [why: string, all: Count, changed: Count | undefined, reds: string];

const COVERAGE: readonly Case[] = [
  ['enough coverage is green', [80, 100], undefined, ''],
  [
    'too little coverage is red, with its figures',
    [143, 200],
    undefined,
    'coverage is 71.5 % (143 of 200 lines), below the minimum of 80 %',
  ],
  [
    'nearly enough is not rounded up',
    [7999, 10_000],
    undefined,
    'coverage is 79.9 % (7999 of 10000 lines), below the minimum of 80 %',
  ],
  [
    'changed lines have a minimum of their own',
    [90, 100],
    [1, 2],
    'coverage of the changed lines is 50 % (1 of 2 lines), below the minimum of 90 %',
  ],
  ['a change without lines of code is green', [90, 100], [0, 0], ''],
];

describe('the coverage of a gate', () => {
  for (const [why, all, changed, reds] of COVERAGE)
    test(why, () => {
      const count = ([hit, found]: Count): { hit: number; found: number } => ({ hit, found });
      const ofChange = { ...count(changed ?? [0, 0]), unlisted: [] };
      const judged = judgeCoverage(count(all), ofChange, {
        min: 80,
        changedMin: 90,
      });
      assert.equal(judged.reds.join('; '), reds);
    });

  const REPORT = 'SF:src/cart.js\nDA:1,1\nDA:2,0\n';
  const figures: [why: string, changed: Record<string, number[]>, expected: object][] = [
    [
      'of the changed lines are measured without a minimum',
      { 'src/cart.js': [2] },
      { changedPercent: 0 },
    ],
    ['name code that no test has loaded', { 'src/new.js': [1] }, { unlisted: ['src/new.js'] }],
  ];
  for (const [why, changed, expected] of figures)
    test(`its figures ${why}`, async () => {
      const coverage = {
        file: 'lcov.info',
        format: 'lcov',
        min: 10,
      } as const;
      const read = () => Promise.resolve({ kind: 'text', text: REPORT } as const);
      const lines = () => Promise.resolve(new Map(Object.entries(changed)));
      const { basis, reds } = await checkCoverage({ coverage }, '', read, lines);
      assert.deepEqual([basis.coverage, reds], [{ percent: 50, ...expected }, []]);
    });
});
