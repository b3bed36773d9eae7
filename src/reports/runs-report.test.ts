import assert from 'node:assert/strict';
import { test } from 'node:test';
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
import type { RunStatus } from '../protocol/views/run-status.ts';
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
    attempts: 2,
    agent: 'main',
    costUsd: 0.5,
    costPartial: false,
    costFrom: 'gateway',
    applied: null,
    waitedMs: 3_599_000,
    waitedFor: 'main rests',
    submittedAt: 0,
    endedAt: 3_609_000,
    next: null,
  });
  assert.deepEqual(
    rows.slice(-2).map(({ because, costUsd, endedAt }) => [because, costUsd, endedAt]),
    [
      ['Spend more?', null, null],
      ['main rests', null, null],
    ],
  );
});
