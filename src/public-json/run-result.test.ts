import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordedRun } from '../../test/support/run-history-fixture.ts';
import {
  attempt,
  begins,
  ended,
  ends,
  limited,
  notes,
  historyOfFacts,
  submitted,
} from '../../test/support/run-history-fixture.ts';
import type { AppliedView } from '../protocol/views/applied-view.ts';
import { RunResult, runResult } from './run-result.ts';

const applied: AppliedView = {
  ...{ kind: 'files', at: 1000, files: 2, merged: 1, branch: 'main', commit: 'c0', undone: 2000 },
};
const context = {
  state: 'unverified',
  exitCode: 0,
  answer: { status: 'SUCCESS' },
  artifacts: ['report.html'],
  files: [{ path: 'a.ts', added: 2, removed: 1 }],
  applied,
  workflow: null,
  stepRuns: [],
} as const;

const NOTHING_USED = {
  input_tokens: null,
  output_tokens: null,
  cost_usd: null,
  source: { tokens: null, cost: null },
};

const NIGHT: readonly RecordedRun[] = [
  [0, submitted()],
  [1, attempt(1, 'main', { kind: 'first' }, 'claude')],
  [1, notes('attempt-1', { kind: 'started', pid: 7, sandbox: 'bubblewrap' })],
  [2, notes('attempt-1', { kind: 'spent', tokens: 900, usd: 0.25, calls: 1 })],
  [3, ends('attempt-1', limited('usage limit reached', 3_600_000))],
  [
    3,
    begins('set-cooldown-1', 'set-cooldown', {
      agent: 'main',
      identity: 'claude::::::',
      until: '1970-01-01T01:00:00.000Z',
      reason: 'usage limit reached',
    }),
  ],
  [3, ends('set-cooldown-1', {})],
  [4, attempt(2, 'second', { kind: 'switch', from: 'main' }, 'codex')],
  [4, notes('attempt-2', { kind: 'reserved', call: 1, tokens: 500, usd: 0.5 })],
  [4, notes('attempt-2', { kind: 'reserved', call: 2, tokens: 700, usd: 0.25 })],
  [4, notes('attempt-2', { kind: 'spent', tokens: 90, usd: 0.125, calls: 1, settled: [1] })],
  [4, ends('attempt-2', { kind: 'interrupted' })],
  [5, attempt(3, 'second', { kind: 'interrupted' }, 'codex')],
  [
    6,
    notes('attempt-3', {
      kind: 'committed',
      root: '/home/me/app',
      base: 'b45e',
      ref: 'refs/x',
      files: 2,
    }),
  ],
  [
    7,
    ends('attempt-3', {
      kind: 'completed',
      summary: 'done',
      exit: 0,
      usage: { inputTokens: 10, outputTokens: 5, costUsd: null },
    }),
  ],
  [7, ended('unverified', 'done')],
];

test('a run as one value has every field that scripts rely on', () => {
  const result = runResult(historyOfFacts(NIGHT), context);
  assert.deepEqual(RunResult.parse(result), result);
  const started = (second: number): string => new Date(second * 1000).toISOString();
  assert.deepEqual(result, {
    schema: 'supervisor.run-result/1',
    run_id: '0123456789',
    state: 'unverified',
    exit_code: 0,
    reason: 'done',
    full_reason: null,
    error: null,
    project: '/home/me/app',
    task: 'fix the test',
    continues_run_id: null,
    submitted_at: started(0),
    ended_at: started(7),
    duration_ms: 7000,
    summary: 'done',
    answer: { status: 'SUCCESS' },
    gates: [],
    files: [{ path: 'a.ts', added: 2, removed: 1 }],
    commit: null,
    branch: null,
    pull_request: null,
    workflow: null,
    steps: [],
    apply_error: null,
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 1705,
      cost_usd: null,
      known_cost_usd: 0.625,
    },
    artifacts: ['report.html'],
    workspace: { root: '/home/me/app', base: 'b45e', branch: 'refs/x' },
    applied: {
      target: 'files',
      at: started(1),
      files_changed: 2,
      files_merged: 1,
      branch: 'main',
      commit: 'c0',
      merged_into: null,
      undone_at: started(2),
      changed_since: false,
    },
    metadata: {
      agent_used: 'codex',
      agent_id: 'second',
      retry_count: 2,
      fallback_count: 1,
      fallback_used: true,
      total_attempts: 3,
      switches: 1,
      same_identity_retries: 1,
    },
    baseline: [],
    attempts: [
      {
        run_id: '0123456789',
        number: 1,
        agent_id: 'main',
        agent_cli: 'claude',
        outcome: 'failed',
        exit_code: 1,
        summary: null,
        gates: [],
        failure: {
          type: 'rate_limit',
          category: 'cli_error',
          recovery: 'transient',
          reason: 'rate_limited',
          message: 'usage limit reached',
          reset_at: '1970-01-01T01:00:00.000Z',
          evidence: [{ source: 'gateway', line: 'HTTP 429 rate_limit_error', rule: 'http-429' }],
        },
        sandbox: { backend: 'bubblewrap', container_id: null },
        usage: {
          input_tokens: null,
          output_tokens: null,
          cost_usd: 0.25,
          source: { tokens: null, cost: 'gateway' },
        },
        started_at: started(1),
        ended_at: started(3),
      },
      {
        run_id: '0123456789',
        number: 2,
        agent_id: 'second',
        agent_cli: 'codex',
        outcome: 'interrupted',
        exit_code: null,
        summary: null,
        gates: [],
        failure: {
          type: 'container_crash',
          category: 'cli_error',
          recovery: 'transient',
          reason: 'interrupted',
          message:
            'It was interrupted: the owner ended. 1 model call was open, counted as 700 tokens for $0.2500.',
          reset_at: null,
          evidence: [],
        },
        sandbox: { backend: null, container_id: null },
        usage: {
          ...NOTHING_USED,
          cost_usd: 0.375,
          source: { tokens: null, cost: 'gateway' },
        },
        started_at: started(4),
        ended_at: started(4),
      },
      {
        run_id: '0123456789',
        number: 3,
        agent_id: 'second',
        agent_cli: 'codex',
        outcome: 'completed',
        exit_code: 0,
        summary: 'done',
        gates: [],
        failure: null,
        sandbox: { backend: null, container_id: null },
        usage: {
          ...NOTHING_USED,
          input_tokens: 10,
          output_tokens: 5,
          source: { tokens: 'cli', cost: null },
        },
        started_at: started(5),
        ended_at: started(7),
      },
    ],
    accepted_gates: [],
    caveats: [],
    cooling: [
      { agent_id: 'main', until: '1970-01-01T01:00:00.000Z', reason: 'usage limit reached' },
    ],
  });
});

describe('a run as one value', () => {
  const cases: [
    why: string,
    facts: RecordedRun[],
    part: (result: RunResult) => unknown,
    expected: unknown,
  ][] = [
    [
      'that was stopped before it began has no agent and no attempt',
      [
        [0, submitted()],
        [1, ended('cancelled', 'stopped before it began')],
      ],
      ({ error, metadata, attempts }) => [
        error?.message,
        metadata.agent_id,
        metadata.retry_count,
        attempts,
      ],
      ['stopped before it began', null, 0, []],
    ],
    [
      'that worked in the project itself names the project as its workspace',
      [
        [0, submitted()],
        [1, attempt(1, 'scripted')],
      ],
      ({ workspace }) => workspace,
      { root: '/home/me/app', base: null, branch: null },
    ],
    [
      'whose attempt failed before it was classified still has its form',
      [
        [0, submitted()],
        [1, attempt(1, 'main')],
        [2, ends('attempt-1', { kind: 'failed', reason: 'crashed', message: 'exit 3' })],
      ],
      ({ attempts: [first] }) => [first?.failure?.reason, first?.failure?.type, first?.exit_code],
      ['crashed', null, null],
    ],
    [
      'leaves out agents whose cooldown has ended by now',
      [
        [0, submitted()],
        [1, begins('check-availability-1', 'check-availability')],
        [
          1,
          ends('check-availability-1', {
            cooling: [
              { identity: 'a', until: '1970-01-01T00:00:05.000Z', reason: 'x' },
              { identity: 'b::::::', agent: 'b', until: '1970-01-01T00:01:00.000Z', reason: 'y' },
              { identity: 'c', until: '1970-01-01T00:02:00.000Z', reason: 'z' },
            ],
          }),
        ],
        [9, ended('exhausted', 'no agent is left')],
      ],
      ({ cooling }) => cooling,
      [
        { agent_id: 'b', until: '1970-01-01T00:01:00.000Z', reason: 'y' },
        { agent_id: 'c', until: '1970-01-01T00:02:00.000Z', reason: 'z' },
      ],
    ],
  ];
  for (const [why, facts, part, expected] of cases)
    test(why, () =>
      assert.deepEqual(part(RunResult.parse(runResult(historyOfFacts(facts), context))), expected),
    );
});
