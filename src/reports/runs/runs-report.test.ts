import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordedRun } from '../../../test/support/run-history-fixture.ts';
import {
  attempt,
  begins,
  ended,
  ends,
  forked,
  historyOfFork,
  limited,
  notes,
  historyOfFacts,
  submitted,
} from '../../../test/support/run-history-fixture.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import type { RunStatus } from '../../protocol/views/run-status.ts';
import type { ReportRow } from './runs-report.ts';
import { ReportView, buildReport, reportRow } from './runs-report.ts';

const HOUR = 3600;

function row(state: RunStatus, events: readonly RecordedRun[]): ReportRow {
  return reportRow(
    historyOfFacts([[0, submitted(`${state}\nand more`)], ...events]),
    state,
    2 * HOUR * 1000,
  );
}

const rows: readonly ReportRow[] = [
  row('succeeded', [
    [0, attempt(1, 'main')],
    [1, ends('attempt-1', limited('usage limit'))],
    [1, begins('wait-1', 'wait', { until: HOUR * 1000, reason: 'cooldown', why: 'main rests' })],
    [HOUR, ends('wait-1', {})],
    [HOUR, attempt(2, 'main', { kind: 'cooled-down' })],
    [HOUR, notes('attempt-2', { kind: 'spent', tokens: 5, usd: 0.5, calls: 1 })],
    [HOUR + 9, ends('attempt-2', { kind: 'completed', summary: 'done' })],
    [HOUR + 9, ended('succeeded', 'done')],
  ]),
  row('unverified', [[1, ended('unverified', 'says so')]]),
  row('exhausted', [[1, ended('exhausted', 'no agent is left')]]),
  row('blocked', [[1, ended('blocked', 'may not')]]),
  row('killed', [[1, ended('killed', 'by a person')]]),
  row('awaiting_input', [[1, begins('ask-1', 'ask', { question: 'Spend more?' })]]),
  row('cooling', [
    [1, begins('wait-1', 'wait', { until: 1e9, reason: 'cooldown', why: 'main rests' })],
  ]),
];

test('a report lists each run by its outcome, with its cost and its waits', () => {
  const report = buildReport(rows, { since: 0, until: 9, leftOut: 0 });
  assert.deepEqual(ReportView.parse(report), report);
  const names = (list: readonly ReportRow[]): string => list.map(({ task }) => task).join(' ');
  assert.deepEqual(
    [
      names(report.done),
      names(report.unverified),
      names(report.failed),
      names(report.stopped),
      names(report.going),
      report.needsYou.length,
      report.costUsd,
      report.attempts,
      report.waitedMs,
    ],
    [
      'succeeded',
      'unverified',
      'exhausted blocked',
      'killed',
      'awaiting_input cooling',
      2,
      0.5,
      2,
      10_798_000,
    ],
  );
  assert.deepEqual(rows[0], {
    run: '0123456789',
    task: 'succeeded',
    project: '/home/me/app',
    state: 'succeeded',
    because: 'done',
    isClaim: true,
    accepted: [],
    attempts: 2,
    agent: 'main',
    costUsd: 0.5,
    costPartial: false,
    costFrom: 'gateway',
    applied: null,
    waitedMs: 3_599_000,
    waitedFor: 'main rests',
    submittedAt: 0,
    waitsSince: null,
    endedAt: 3_609_000,
    continues: null,
    resumedAs: null,
    asks: false,
    undelivered: [],
    next: null,
  });
  assert.deepEqual(
    rows.slice(-2).map((one) => [one.because, one.costUsd, one.endedAt, one.waitsSince]),
    [
      ['Spend more?', null, null, 1000],
      ['main rests', null, null, 1000],
    ],
  );
});

function spends(key: string, usd: number): NewRunEvent {
  return notes(key, { kind: 'spent', tokens: 5, usd, calls: 1 });
}

const WINDOW = { since: 0, until: 9, leftOut: 0 };

test('the attempts, the cost and the waits of a resumed run count once', () => {
  const first: readonly RecordedRun[] = [
    [0, submitted()],
    [0, attempt(1, 'main')],
    [1, spends('attempt-1', 0.25)],
    [1, ends('attempt-1', limited('usage limit'))],
    [1, begins('wait-1', 'wait', { until: 9000, reason: 'cooldown', why: 'main rests' })],
    [9, ends('wait-1', {})],
  ];
  const last: readonly RecordedRun[] = [
    [9, attempt(2, 'main')],
    [10, spends('attempt-2', 0.5)],
    [11, ended('exhausted', 'no agent is left')],
  ];
  const again: readonly RecordedRun[] = [
    [20, forked(0.75)],
    [20, attempt(2, 'main')],
    [21, spends('attempt-2', 0.125)],
    [22, ends('attempt-2', { kind: 'completed', summary: 'done' })],
    [22, ended('succeeded', 'done')],
  ];
  const old = reportRow(
    ...([historyOfFacts([...first, ...last]), 'exhausted', 30_000] as const),
    ...([null, { resumedAs: 'ffffffffff' }] as const),
  );
  const newer = reportRow(historyOfFork(first, 'ffffffffff', again), 'succeeded', 30_000);
  assert.deepEqual(
    [old, newer].map(({ attempts, costUsd, waitedMs }) => [attempts, costUsd, waitedMs]),
    [
      [2, 0.75, 8000],
      [1, 0.125, 0],
    ],
  );
  const report = buildReport([newer, old], WINDOW);
  assert.deepEqual([report.attempts, report.costUsd, report.waitedMs], [3, 0.875, 8000]);
  assert.deepEqual(
    [old.resumedAs, old.next, newer.continues],
    [
      'ffffffffff',
      'It was resumed as ffffffffff. See how that went with: supervisor why ffffffffff',
      '0123456789',
    ],
  );
});

test('only the newest of several runs that continue one another needs a person', () => {
  const blocked: readonly RecordedRun[] = [
    [0, submitted()],
    [1, ended('blocked', 'may not')],
  ];
  const old = reportRow(
    ...([historyOfFacts(blocked), 'blocked', 0] as const),
    ...([null, { resumedAs: 'ffffffffff' }] as const),
  );
  const fork = historyOfFork([[0, submitted()]], 'ffffffffff', [
    [2, forked()],
    [3, ended('blocked', 'may not')],
  ]);
  const report = buildReport([reportRow(fork, 'blocked', 0), old], WINDOW);
  assert.deepEqual(report.needsYou, ['ffffffffff']);
});

test('a run that waits for its keys needs a person', () => {
  const question =
    'claude needs the key ANTHROPIC_API_KEY. From a shell that has it, run: supervisor resume 0123456789';
  const asks = { question, about: 'keys' };
  const keyless = row('awaiting_input', [
    [0, attempt(1, 'claude')],
    [1, ends('attempt-1', { kind: 'failed', reason: 'keys_missing', message: 'no key' })],
    [1, begins('ask-1', 'ask', asks)],
  ]);
  const { needsYou, attempts } = buildReport([keyless], WINDOW);
  assert.deepEqual([needsYou, attempts], [['0123456789'], 0]);
  const advice = 'From a shell that has it, run: supervisor resume 0123456789';
  assert.deepEqual(
    [keyless.because, keyless.next],
    ['claude needs the key ANTHROPIC_API_KEY.', advice],
  );
});

test('a run counts what the runs cost that it started, once', () => {
  const spent = { tokens: 5, usd: 0.25, calls: 1, unpricedCalls: 0 };
  const outcome = { kind: 'succeeded', reason: 'done' };
  const start = (key: string, run: string): NewRunEvent =>
    begins(key, 'run', { run, submission: { task: 'x' } });
  const events: RecordedRun[] = [
    [0, submitted('parent')],
    [1, start('run-1', 'b')],
    [1, start('run-2', 'c')],
    [2, ends('run-1', { run: 'b', outcome, spent })],
  ];
  assert.equal(reportRow(historyOfFacts(events), 'running', 9000).costUsd, 0.25);
  const fork = historyOfFork(events, 'dddddddddd', [
    [3, forked(4)],
    [4, ends('run-2', { run: 'c', outcome })],
  ]);
  assert.equal(reportRow(fork, 'running', 9000).costUsd, null);
});
