/** What an attempt has used, and who says so: its CLI before the gateway. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordedRun } from '../../test/support/run-history-fixture.ts';
import {
  attempt,
  ends,
  notes,
  historyOfFacts,
  submitted,
} from '../../test/support/run-history-fixture.ts';
import { RunResult, runResult } from './run-result.ts';

const context = { state: 'unverified', exitCode: 0, artifacts: [] };

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
  const cases: [why: string, facts: readonly RecordedRun[], used: object][] = [
    [
      'is what its CLI says',
      [[3, ends('attempt-1', { kind: 'completed', summary: '', usage: { ...said, costUsd: 1 } })]],
      by(10, 5, 1, 'cli', 'cli'),
    ],
    [
      'before what the gateway counts',
      [
        spent({}),
        [3, ends('attempt-1', { kind: 'completed', summary: '', usage: { ...said, costUsd: 1 } })],
      ],
      by(10, 5, 1, 'cli', 'cli'),
    ],
    [
      'which fills in what the CLI leaves out',
      [spent({}), [3, ends('attempt-1', { kind: 'completed', summary: '', usage: said })]],
      by(10, 5, 0.25, 'cli', 'gateway'),
    ],
    [
      'also where the CLI says that tokens cost nothing (D10)',
      [
        spent({}),
        [3, ends('attempt-1', { kind: 'completed', summary: '', usage: { ...said, costUsd: 0 } })],
      ],
      by(10, 5, 0.25, 'cli', 'gateway'),
    ],
    [
      'of which then nothing is known without a gateway',
      [[3, ends('attempt-1', { kind: 'completed', summary: '', usage: { ...said, costUsd: 0 } })]],
      by(10, 5, null, 'cli', null),
    ],
    [
      'or all of it',
      [spent({}), spent({}), [3, ends('attempt-1', { kind: 'stopped' })]],
      by(40, 20, 0.5, 'gateway', 'gateway'),
    ],
    ['also while it goes on', [spent({})], by(20, 10, 0.25, 'gateway', 'gateway')],
    [
      'and where it was lost',
      [spent({}), [3, ends('attempt-1', { kind: 'lost' })]],
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
      'and nobody knows where nothing is said',
      [[3, ends('attempt-1', { kind: 'stopped' })]],
      NOTHING_USED,
    ],
  ];
  for (const [why, facts, used] of cases)
    test(why, () => {
      const story = historyOfFacts([[0, submitted()], [1, attempt(1, 'main')], ...facts]);
      assert.deepEqual(RunResult.parse(runResult(story, context)).attempts[0]?.usage, used);
    });
});
