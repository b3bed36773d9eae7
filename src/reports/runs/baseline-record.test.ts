/** The gates on the base, in each report of a run. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordedRun } from '../../../test/support/run-history-fixture.ts';
import {
  attempt,
  ended,
  ends,
  historyOfFacts,
  submitted,
} from '../../../test/support/run-history-fixture.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import { explainRun } from './explain-run.ts';
import type { RunHistory } from './run-history.ts';
import { runSummary } from './run-summary.ts';

const NAME = 'npm test';
type Result = Readonly<Record<string, unknown>>;

const failing = (...names: readonly string[]): Result => ({
  kind: 'failed',
  name: NAME,
  exit: 1,
  tail: '',
  counted: { passed: 3, failed: names.length, skipped: 0, runners: ['jest'], failing: names },
});
const GREEN = { kind: 'passed', name: NAME };
const UNABLE = { kind: 'unable', name: NAME, why: 'no sandbox works here' };

/** A run whose base was judged like this, and then its work if there is any. */
function historyOf(base: Result, work: Result | null, how = 'ran'): RunHistory {
  const begun = runEvent({
    type: 'command.begun',
    payload: { key: 'baseline-1', command: 'baseline', input: { name: NAME }, limits: [] },
  });
  const judged = ends('baseline-1', { kind: 'judged', outcome: base, how, content: 'c' });
  const attempted =
    work === null
      ? []
      : [
          attempt(1, 'main'),
          ends('attempt-1', { kind: 'completed', summary: 'done' }),
          ends('gate-1-0', work),
        ];
  const facts = [submitted(), begun, judged, ...attempted, ended('failed', 'over')];
  return historyOfFacts(facts.map((fact, place): RecordedRun => [place, fact]));
}

function why(history: RunHistory): readonly string[] {
  return explainRun(history, 'failed', 10_000).chain.map(({ what }) => what);
}

function base(history: RunHistory): readonly string[] {
  return runSummary(history, null).flatMap(([label, text]) => (label === 'base' ? [text] : []));
}

describe('a gate that is red on the base', () => {
  const history = historyOf(failing('adds', 'rounds'), failing('rounds', 'sorts'), 'reused');

  test('is in the reasons of the run, and told apart from the work', () => {
    assert.deepEqual(why(history), [
      'gate npm test fails before the agent starts: 2 of 5 tests (adds; rounds) (judged by an earlier run)',
      'attempt 1 with main says it is done: done',
      'gate npm test was red: exit 1',
      'gate npm test: 1 test is new: sorts; 1 test failed before and still does: rounds; 1 test is fixed: adds',
      'failed: over',
    ]);
  });

  test('is in the summary', () => {
    assert.deepEqual(base(history), [
      'npm test: 1 test is new: sorts; 1 test failed before and still does: rounds; 1 test is fixed: adds',
    ]);
    assert.deepEqual(base(historyOf(failing('adds'), GREEN)), ['npm test: 1 test is fixed: adds']);
    assert.deepEqual(base(historyOf(failing('adds'), null)), [
      'npm test fails before the agent starts: 1 of 4 tests (adds)',
    ]);
  });
});

test('a gate that is green on the base explains nothing', () => {
  const history = historyOf(GREEN, failing('adds'));
  assert.deepEqual([base(history), why(history).length], [[], 3]);
});

test("a gate that can't run on the base is explained by the outcome, unless it only warns", () => {
  assert.deepEqual(why(historyOf(UNABLE, null)), ['failed: over']);
  assert.deepEqual(why(historyOf({ ...UNABLE, warns: true }, null)), [
    "gate npm test can't run on the base: no sandbox works here",
    'failed: over',
  ]);
});
