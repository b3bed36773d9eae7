import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordedRun } from '../../../test/support/run-history-fixture.ts';
import {
  attempt,
  begins,
  ended,
  historyOfFacts,
  notes,
  submitted,
} from '../../../test/support/run-history-fixture.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import type { RunStatus } from '../../protocol/views/run-status.ts';
import type { ReportRow } from '../../reports/runs/runs-report.ts';
import { buildReport, reportRow } from '../../reports/runs/runs-report.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import type { CliContext } from '../cli-context.ts';
import { formatReport } from './report-text.ts';

const NOW = 7_200_000;

function row(
  state: RunStatus,
  events: readonly RecordedRun[],
  applied: AppliedView | null = null,
): ReportRow {
  return reportRow(historyOfFacts([[0, submitted('do it')], ...events]), state, NOW, applied);
}

function lines(...rows: readonly ReportRow[]): readonly string[] {
  const terminal = { isTty: false, width: 80, colour: false };
  const context = { clock: new ManualClock(NOW), terminal, timeZone: 'UTC' };
  const report = buildReport(rows, { since: 0, until: NOW, leftOut: 0 });
  return formatReport(context as unknown as CliContext, report)
    .trimEnd()
    .split('\n');
}

test('times of schedules without a run come before the runs, and are whole', () => {
  const why = `no key is there. ${'Look. '.repeat(60)}Run: supervisor doctor`;
  const due = NOW - 60_000;
  const timesWithoutRun = [
    { schedule: 'nightly', due, times: 1, because: 'refused', why } as const,
    { schedule: 'hourly', due, times: 3, because: 'still-running', why: null } as const,
  ];
  const context = {
    clock: new ManualClock(NOW),
    terminal: { isTty: false, width: 80, colour: false },
  };
  const report = buildReport([], { since: 0, until: NOW, leftOut: 0, timesWithoutRun });
  assert.deepEqual(
    formatReport(context as unknown as CliContext, report).replaceAll(/\d\d:\d\d:/g, 'TIME:'),
    `No runs in the last 2h00m.\nTIME: schedule nightly started no run: ${why}\n` +
      '3 times until TIME: schedule hourly started no second run: the last one still worked\n',
  );
});

test('a run that asks says since when, and what to do, once', () => {
  const question =
    'codex needs the keys A_KEY and B_KEY. From a shell that has them, run: supervisor resume 0123456789';
  assert.deepEqual(
    lines(row('awaiting_input', [[3600, begins('ask-1', 'ask', { question, about: 'keys' })]])),
    [
      'The last 2h00m  1 run needs you, 0 attempts',
      '',
      'Needs you',
      '  0123456789  do it',
      '    awaiting_input since 01:00, /home/me/app',
      '    codex needs the keys A_KEY and B_KEY.',
      '    → From a shell that has them, run: supervisor resume 0123456789',
    ],
  );
});

function cost(usd: number): ReportRow {
  return row('succeeded', [
    [0, attempt(1, 'main')],
    [1, notes('attempt-1', { kind: 'spent', tokens: 5, usd, calls: 1 })],
    [60, ended('succeeded', 'done')],
  ]);
}

test('the costs of the runs add up to their sum', () => {
  const shown = lines(cost(0.004), cost(0.004)).filter((line) => line.includes('$'));
  assert.deepEqual(shown, [
    'The last 2h00m  2 done, 2 attempts, $0.008',
    '    succeeded 00:00–00:01, main, $0.004, /home/me/app',
    '    succeeded 00:00–00:01, main, $0.004, /home/me/app',
  ]);
});

test('work that the project already had is not offered again', () => {
  const work = { kind: 'committed', root: '/p', base: 'b', ref: 'r', files: 2 };
  const events: readonly RecordedRun[] = [
    [0, attempt(1, 'main')],
    [1, notes('attempt-1', work)],
    [60, ended('succeeded', 'done')],
  ];
  const had: AppliedView = {
    ...({ kind: 'files', at: NOW - 60_000, files: 0, merged: 0 } as const),
    ...{ branch: 'main', commit: null, undone: null },
  };
  const told = (applied: AppliedView | null): readonly string[] =>
    lines(row('succeeded', events, applied)).slice(6);
  assert.deepEqual(
    [told(null), told(had)],
    [
      ['    → Apply the work with: supervisor apply 0123456789'],
      ['    the project already had all of it 1m00s ago'],
    ],
  );
});
