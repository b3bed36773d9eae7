import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readJunit } from './junit-report.ts';
import type { ReportedTests } from './reported-tests.ts';

const NOTHING = { passed: 0, failed: 0, skipped: 0, failures: [] };
const suite = (inside: string, more = ''): string =>
  `<?xml version="1.0"?><testsuites><testsuite name="s"${more}>${inside}</testsuite></testsuites>`;

const CASES: readonly (readonly [
  why: string,
  xml: string,
  expected: Partial<ReportedTests> | undefined,
])[] = [
  ['other XML is no report', '<html><testcase name="a"/></html>', undefined],
  ['text is no report', 'all tests passed', undefined],
  ['an empty suite has no tests', suite(''), {}],
  [
    'tests are counted',
    suite(
      '<testcase name="a"/><testcase name="b"></testcase><testcase name="c"><skipped/></testcase>',
    ),
    { passed: 2, skipped: 1 },
  ],
  [
    'a failure of pytest has its name, and its place is in its text',
    suite(
      '<testcase classname="tests.test_cart" name="test_adds"><failure message="assert 3 == 4">def test_adds():\n&gt;   assert 3 == 4\n\ntests/test_cart.py:12: AssertionError</failure></testcase>',
    ),
    {
      failed: 1,
      failures: [
        {
          name: 'tests.test_cart › test_adds',
          file: 'tests/test_cart.py',
          line: 12,
          message: 'assert 3 == 4',
        },
      ],
    },
  ],
  [
    'a test can name its own place',
    suite('<testcase name="a" file="a.rb" line="7"><failure>no</failure></testcase>'),
    { failed: 1, failures: [{ name: 'a', file: 'a.rb', line: 7, message: 'no' }] },
  ],
  [
    'the file of a suite is the file of its tests',
    suite('<testcase name="a"><error message="x"/></testcase>', ' file="a.test.js"'),
    { failed: 1, failures: [{ name: 'a', file: 'a.test.js', message: 'x' }] },
  ],
  [
    'frames of the runner are no place',
    suite(
      '<testcase name="a"><failure><![CDATA[Error: x\n at /p/node_modules/r/i.js:1:2\n at t (/p/cart.test.ts:5:6)]]></failure></testcase>',
    ),
    { failed: 1, failures: [{ name: 'a', file: '/p/cart.test.ts', line: 5, message: 'Error: x' }] },
  ],
  [
    'a name that repeats its class is said once',
    suite('<testcase classname="cart" name="cart adds"><failure message="x"/></testcase>'),
    { failed: 1, failures: [{ name: 'cart adds', message: 'x' }] },
  ],
  [
    'a suite in a suite is read',
    suite('<testsuite name="t"><testcase name="a"/></testsuite><testcase name="b"/>'),
    { passed: 2 },
  ],
  [
    'a report that is cut says so',
    '<testsuite><testcase name="a"/>',
    { passed: 1, broken: 'it ends early' },
  ],
];

describe('a JUnit report', () => {
  for (const [why, xml, expected] of CASES)
    test(why, () =>
      assert.deepEqual(
        readJunit(xml),
        expected === undefined ? undefined : { ...NOTHING, ...expected },
      ),
    );

  test('keeps five failures and bounds their texts', () => {
    const one = `<testcase name="${'n'.repeat(9000)}"><failure message="${'m'.repeat(9000)}"/></testcase>`;
    const found = readJunit(suite(one.repeat(20)));
    const lengths = found?.failures.map(({ name, message = '' }) => name.length + message.length);
    assert.deepEqual([found?.failed, lengths], [20, [800, 800, 800, 800, 800]]);
  });
});
