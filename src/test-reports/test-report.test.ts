import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReportSession } from './test-report.ts';
import { judgeReports, openSession, withLine } from './test-report.ts';

const KEY = 'k1';
const hello = (more: object = {}): string =>
  JSON.stringify({ hello: { runner: 'node:test', pid: 1, ...more } });
const counts = (passed: number, failed = 0, skipped = 0): object => ({ passed, failed, skipped });

/** A session after these lines, each with its key unless it has another. */
function heard(lines: readonly object[], more: object = {}): ReportSession {
  const first = openSession(hello(more));
  assert.ok(first !== undefined);
  return lines.reduce<ReportSession>(
    (session, line) => withLine(session, KEY, JSON.stringify({ key: KEY, ...line })),
    first,
  );
}

const redsOf = (lines: readonly object[]): readonly string[] =>
  judgeReports([heard(lines)], []).reds;

describe('the report of a test runner', () => {
  test('is green when it has its end and no test failed', () => {
    const { reds, counted } = judgeReports([heard([{ plan: 3 }, { end: counts(2, 0, 1) }])], []);
    assert.deepEqual(reds, []);
    assert.deepEqual(counted, { passed: 2, failed: 0, skipped: 1, runners: ['node:test'] });
  });

  test('has the names of failed tests, each once, in order', () => {
    const failures = ['b', 'a\n  x', 'b'].map((failure) => ({ failure }));
    const { counted } = judgeReports([heard([...failures, { end: counts(1, 2) }])], []);
    assert.deepEqual(counted?.failing, ['a x', 'b']);
    const many = Array.from({ length: 80 }, (_, nth) => ({ failure: `${nth}${'x'.repeat(400)}` }));
    const { counted: bounded } = judgeReports([heard([...many, { end: counts(0, 80) }])], []);
    assert.deepEqual([bounded?.failing?.length, bounded?.failing?.[0]?.length], [50, 300]);
  });

  const reds: [why: string, lines: readonly object[], words: string][] = [
    [
      'has no end',
      [{ plan: 12 }, { counts: counts(3) }],
      'the test run of node:test ended early: 3 of 12 tests reported',
    ],
    [
      'says nothing after its greeting',
      [],
      'the test run of node:test ended early: 0 tests reported; if its tests ran, set count: false for this gate',
    ],
    ['has a failed test', [{ end: counts(1, 1) }], '1 test of node:test failed'],
    [
      'takes a failure back',
      [{ counts: counts(0, 1) }, { end: counts(1) }],
      '1 test of node:test failed',
    ],
    [
      'ends with fewer tests than were planned',
      [{ plan: 3 }, { end: counts(2) }],
      'node:test left tests out: 2 of 3 tests reported',
    ],
    [
      'has a line with another key',
      [{ end: counts(2) }, { key: 'other', end: counts(2) }],
      'something other than the reporter of node:test wrote into its report',
    ],
    [
      'has a name that is none',
      [{ failure: 7 }, { end: counts(2) }],
      'something other than the reporter of node:test wrote into its report',
    ],
    [
      'has a count that is none',
      [{ end: counts(-1) }],
      'something other than the reporter of node:test wrote into its report',
    ],
  ];
  for (const [why, lines, words] of reds)
    test(`is red when it ${why}`, () => assert.deepEqual(redsOf(lines), [words]));

  test('is red when the connection carries something other than JSON', () => {
    const session = withLine(heard([{ end: counts(1) }]), KEY, 'hello?');
    assert.equal(judgeReports([session], []).reds.length, 1);
  });

  test('stays red when another session ends well', () => {
    const sessions = [heard([]), heard([{ end: counts(5) }])];
    assert.equal(judgeReports(sessions, ['node:test']).reds.length, 1);
  });

  test('of a main process counts the tests of its parts once', () => {
    const sessions = [heard([{ end: counts(3) }]), heard([{ end: counts(3) }], { part: true })];
    assert.equal(judgeReports(sessions, []).counted?.passed, 3);
  });
});

describe('a runner that the command starts', () => {
  test('is red when it reported nothing', () => {
    const { reds, counted } = judgeReports([], ['jest']);
    assert.deepEqual(reds, [
      'jest reported nothing, though the command starts it; if its tests ran, set count: false for this gate',
    ]);
    assert.equal(counted, undefined);
  });

  test('is red when it began, handed over to another process, and that reported nothing', () => {
    const begun = heard([{ end: counts(0) }], { part: true });
    assert.deepEqual(judgeReports([begun], ['node:test']).reds, [
      'node:test reported nothing, though the command starts it; if its tests ran, set count: false for this gate',
    ]);
  });

  test('is red once when it began and ended early', () => {
    const begun = heard([], { part: true });
    assert.deepEqual(judgeReports([begun], ['node:test']).reds, [
      'the test run of node:test ended early: 0 tests reported; if its tests ran, set count: false for this gate',
    ]);
  });

  test('is red when it ended without a plan and without a test, if it always has a plan', () => {
    const empty = { ...heard([{ end: counts(0) }]), runner: 'pytest' };
    assert.deepEqual(judgeReports([empty], ['pytest']).reds, [
      'pytest ended without any test, though the command starts it; if its tests ran, set count: false for this gate',
    ]);
    assert.deepEqual(judgeReports([{ ...empty, plan: 0 }], ['pytest']).reds, []);
    assert.deepEqual(judgeReports([{ ...empty, runner: 'jest' }], ['jest']).reds, []);
    assert.deepEqual(judgeReports([empty], []).reds, []);
  });

  test('is not missed if the command starts none', () => {
    assert.deepEqual(judgeReports([], []), { reds: [] });
  });
});

test('a greeting without the name of a runner opens no session', () => {
  for (const line of ['', '{}', '{"hello":1}', '{"hello":{"runner":"<b>"}}', hello().slice(1)])
    assert.equal(openSession(line), undefined);
});
