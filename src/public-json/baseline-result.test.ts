import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GateOutcome } from '../protocol/contracts/gate-contract.ts';
import type { BaselineRecord } from '../reports/runs/baseline-record.ts';
import { gateRecord } from '../reports/runs/gate-record.ts';
import { BaselineResult, baselineResults } from './baseline-result.ts';

const failing = (...names: readonly string[]): GateOutcome => ({
  kind: 'failed',
  name: 'test',
  exit: 1,
  tail: '',
  counted: { passed: 3, failed: names.length, skipped: 1, runners: ['jest'], failing: names },
});
const green: GateOutcome = { kind: 'passed', name: 'test' };

function judged(outcome: GateOutcome | null, isReused = false): BaselineRecord {
  return { key: 'baseline-1', name: 'test', begunAt: 0, endedAt: 1, outcome, isReused };
}

function resultsOf(base: BaselineRecord, ...work: readonly GateOutcome[]) {
  const gates = work.map((result) => gateRecord('gate-1-0', { kind: 'done', result }, [base], 2));
  const results = baselineResults([base], gates);
  for (const result of results) assert.deepEqual(BaselineResult.parse(result), result);
  return results;
}

describe('a gate on the base, for scripts,', () => {
  test('has its tests, and what became of them', () => {
    const base = judged(failing('adds', 'rounds'), true);
    assert.deepEqual(resultsOf(base, failing('x'), failing('rounds', 'sorts')), [
      {
        name: 'test',
        state: 'failed',
        reused: true,
        tests: { passed: 3, failed: 2, skipped: 1 },
        failing: ['adds', 'rounds'],
        since: {
          state: 'failed',
          compared_by: 'tests',
          still_failing: ['rounds'],
          fixed: ['adds'],
          newly_failing: ['sorts'],
        },
      },
    ]);
  });

  test('has nothing to compare if it was green, or has not run since', () => {
    const sinces = [
      resultsOf(judged(green), failing('adds')),
      resultsOf(judged(failing('adds'))),
      resultsOf(judged({ kind: 'unable', name: 'test', why: 'no' }), green),
    ].map(([one]) => [one?.state, one?.tests?.failed ?? null, one?.since]);
    assert.deepEqual(sinces, [
      ['passed', null, null],
      ['failed', 1, null],
      ['unable', null, null],
    ]);
  });

  test('has no result if it was interrupted', () => {
    assert.deepEqual(resultsOf(judged(null)), []);
  });
});
