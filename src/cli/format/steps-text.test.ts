import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StepRow, StepsReportView } from '../../reports/steps/steps-report.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import type { CliContext } from '../cli-context.ts';
import { formatSteps } from './steps-text.ts';

const ROW: StepRow = {
  step: 'integration_test_gate',
  kind: 'gate',
  runs: 120,
  visits: 130,
  tokens: 12_345_678,
  busyMs: 90_000,
  costUsd: 1234.5,
  costPartial: false,
  effects: { changedWork: 0, repaired: 0, wasFollowed: 12, rejected: 0 },
  changed: 12,
  interval: { low: 0.058, high: 0.167 },
};
const VIEW: StepsReportView = {
  since: 0,
  until: 9,
  templates: [],
  known: ['mvp'],
  active: 0,
  leftOut: 0,
};

function lines(
  rows: readonly StepRow[],
  view: Partial<StepsReportView> = {},
  template?: string,
): readonly string[] {
  const terminal = { isTty: true, width: 80, colour: false };
  const context = { clock: new ManualClock(0), terminal } as unknown as CliContext;
  const mvp = { template: 'mvp', runs: 120, succeeded: 90, versions: 1, steps: [...rows] };
  const templates = rows.length === 0 ? [] : [mvp];
  return formatSteps(context, { ...VIEW, templates, ...view }, template)
    .trimEnd()
    .split('\n');
}

describe('the table of steps', () => {
  test('fits into 80 columns', () => {
    const shown = lines([
      ROW,
      { ...ROW, step: 'plan', changed: null, interval: null, tokens: 950 },
    ]);
    assert.deepEqual(shown.slice(0, 4), [
      'mvp  120 runs, 90 succeeded',
      'step                   runs  tokens  minutes      cost  changed the outcome',
      'integration_test_gate   120     12M      1.5  $1234.50  12 of 120 (6 to 17 %)',
      'plan                    120     950      1.5  $1234.50  not measured',
    ]);
    assert.deepEqual(
      shown.slice(0, 4).filter(({ length }) => length > 80),
      [],
    );
  });

  test('never shows an unknown price as nothing', () => {
    const cost = (row: Partial<StepRow>): string | undefined =>
      /\d\.\d +(\S+) +12 of/.exec(lines([{ ...ROW, ...row }])[2] ?? '')?.[1];
    assert.deepEqual(
      [
        cost({ costUsd: null, costPartial: true }),
        cost({ costUsd: null }),
        cost({ costUsd: 2, costPartial: true }),
        cost({ costUsd: 0 }),
      ],
      ['unknown', 'unknown', '≥$2.00', '$0.00'],
    );
  });

  test('says what is not counted', () => {
    assert.deepEqual(lines([], { active: 1, leftOut: 2 }), [
      'No workflow has ended in this time. Start one with: supervisor run TASK --workflow mvp',
      '1 active workflow is not counted.',
      '2 older runs are not counted. Use --since for a shorter time.',
    ]);
  });

  test('names the nearest workflow that has run', () => {
    assert.deepEqual(lines([], {}, 'mpv'), [
      'No run of the workflow mpv has ended in this time. Did you mean mvp?',
    ]);
  });
});
