/** The usage of an attempt and its source: the gateway's count goes before the CLI's report. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordedRun } from '../../test/support/run-history-fixture.ts';
import {
  attempt,
  begins,
  ends,
  notes,
  historyOfFacts,
  submitted,
} from '../../test/support/run-history-fixture.ts';
import { RunResult, runResult } from './run-result.ts';

const context = {
  state: 'unverified',
  exitCode: 0,
  answer: null,
  artifacts: [],
  files: null,
  applied: null,
  workflow: null,
  stepRuns: [],
} as const;

const NOTHING_USED = {
  input_tokens: null,
  output_tokens: null,
  cost_usd: null,
  source: { tokens: null, cost: null },
};

describe('what an attempt has used', () => {
  const said = { inputTokens: 10, outputTokens: 5, costUsd: null };
  const spent = (more: object): RecordedRun => [
    2,
    notes('attempt-1', {
      kind: 'spent',
      tokens: 30,
      usd: 0.25,
      calls: 1,
      inputTokens: 20,
      outputTokens: 10,
      unpriced: 0,
      ...more,
    }),
  ];
  const by = (
    input: number,
    output: number,
    cost: number | null,
    tokens: string,
    paid: string | null,
  ) => ({
    input_tokens: input,
    output_tokens: output,
    cost_usd: cost,
    source: { tokens, cost: paid },
  });
  const completed = (usage: object): RecordedRun => [
    3,
    ends('attempt-1', { kind: 'completed', summary: '', usage }),
  ];
  const cases: [why: string, facts: readonly RecordedRun[], used: object][] = [
    [
      'is what its CLI reports if there is no gateway',
      [completed({ ...said, costUsd: 1 })],
      by(10, 5, 1, 'cli', 'cli'),
    ],
    [
      'is what the gateway counts, also if the CLI reports something else',
      [spent({}), completed({ ...said, costUsd: 1 })],
      by(20, 10, 0.25, 'gateway', 'gateway'),
    ],
    [
      'is what the gateway counts if the CLI reports a cost of nothing (D10)',
      [spent({}), completed({ ...said, costUsd: 0 })],
      by(20, 10, 0.25, 'gateway', 'gateway'),
    ],
    [
      'has the cost that the CLI reports if the gateway knows no price',
      [spent({ usd: 0, unpriced: 1 }), completed({ ...said, costUsd: 1 })],
      by(20, 10, 1, 'gateway', 'cli'),
    ],
    [
      'has no known cost if the CLI reports nothing and there is no gateway',
      [completed({ ...said, costUsd: 0 })],
      by(10, 5, null, 'cli', null),
    ],
    [
      'adds up all calls of an attempt that is stopped',
      [spent({}), spent({}), [3, ends('attempt-1', { kind: 'stopped' })]],
      by(40, 20, 0.5, 'gateway', 'gateway'),
    ],
    ['is known while the attempt runs', [spent({})], by(20, 10, 0.25, 'gateway', 'gateway')],
    [
      'is known of an attempt that was interrupted',
      [spent({}), [3, ends('attempt-1', { kind: 'interrupted' })]],
      by(20, 10, 0.25, 'gateway', 'gateway'),
    ],
    [
      'a call without a price leaves the cost unknown',
      [spent({}), spent({ usd: 0, unpriced: 1 }), spent({})],
      by(60, 30, null, 'gateway', null),
    ],
    [
      'an older record has no tokens of either kind',
      [[2, notes('attempt-1', { kind: 'spent', tokens: 9, usd: 1, calls: 1 })]],
      { ...NOTHING_USED, cost_usd: 1, source: { tokens: null, cost: 'gateway' } },
    ],
    [
      'is unknown if neither the CLI nor the gateway reports anything',
      [[3, ends('attempt-1', { kind: 'stopped' })]],
      NOTHING_USED,
    ],
  ];
  for (const [why, facts, used] of cases)
    test(why, () => {
      const history = historyOfFacts([[0, submitted()], [1, attempt(1, 'main')], ...facts]);
      assert.deepEqual(RunResult.parse(runResult(history, context)).attempts[0]?.usage, used);
    });

  test('ignores the cost that a CLI reports for a resumed conversation, which includes earlier attempts', () => {
    const agent = { id: 'main', cli: 'claude' };
    const begun = begins('attempt-1', 'attempt', { agent, why: { kind: 'first' }, resume: 's-1' });
    const history = historyOfFacts([
      [0, submitted()],
      [1, begun],
      completed({ ...said, costUsd: 1 }),
    ]);
    const used = RunResult.parse(runResult(history, context)).attempts[0]?.usage;
    assert.deepEqual(used, by(10, 5, null, 'cli', null));
  });
});
