import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  attempt,
  historyOfFacts,
  notes,
  submitted,
} from '../../test/support/run-history-fixture.ts';
import { explainRun } from './runs/explain-run.ts';

const ANOMALY = {
  kind: 'anomaly',
  detector: 'loop',
  conversation: 'c',
  turn: 6,
  model: 'm',
  words: 'The same call failed 3 times.',
  decision: 'shadow',
};

test('an anomaly that is found again is one cause, with its first turn and its count', () => {
  const history = historyOfFacts([
    [0, submitted()],
    [0, attempt(1, 'main', { kind: 'first' })],
    [2, notes('attempt-1', ANOMALY)],
    [3, notes('attempt-1', { ...ANOMALY, turn: 9 })],
    [4, notes('attempt-1', { ...ANOMALY, turn: 9, decision: 'sent', message: 'abcdef01' })],
    [5, notes('attempt-1', { ...ANOMALY, turn: 12, decision: 'undelivered', why: 'it is busy' })],
  ]);
  const { chain } = explainRun(history, 'running', 600_000);
  assert.deepEqual(
    chain.flatMap(({ what, evidence }) => [what, ...evidence.map(({ line }) => `  ${line}`)]),
    [
      'attempt 1 with main has been running for 10m00s',
      'attempt 1: an anomaly was found and only recorded, 2 times',
      '  The same call failed 3 times.',
      'attempt 1: an anomaly was found and the agent was told with message abcdef01',
      '  The same call failed 3 times.',
      'attempt 1: an anomaly was found, and the agent could not be told: it is busy',
      '  The same call failed 3 times.',
      'it is running',
    ],
  );
});
