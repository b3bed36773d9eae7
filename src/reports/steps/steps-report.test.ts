import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { timelineOf } from '../../../test/support/step-timeline.ts';
import { definition, gate, review, role } from '../../../test/support/workflow-fixture.ts';
import type { StepRow, StepRunFacts, TemplateSteps } from './steps-report.ts';
import { StepsReportView, buildStepsReport } from './steps-report.ts';
import { changedWords, stepsWords } from './steps-words.ts';

const WINDOW = { since: 0, until: 9, known: [], active: 0, leftOut: 0 };
const DEFINITION = definition({
  plan: role('planner', 'implement'),
  implement: role('coder', 'test'),
  test: gate(['test'], 'review', { onFail: 'implement' }),
  review: review(['ann'], null, { onReject: 'implement' }),
});
const PRICED: StepRunFacts = { tokens: 1000, costUsd: 0.25, costPartial: false, gates: [] };

/** `count` runs, the first `red` of which have a red gate once. */
function templateOf(count: number, red: number, facts?: StepRunFacts): TemplateSteps {
  const timelines = Array.from({ length: count }, (_, nth) =>
    timelineOf(
      { definition: DEFINITION, gates: { test: nth < red ? ['red'] : [] } },
      `${nth}`.padStart(10, '0'),
    ),
  );
  const children = timelines.flatMap(({ visits }) => visits.flatMap((one) => one.children));
  const used = new Map(facts === undefined ? [] : children.map((run) => [run, facts] as const));
  const report = buildStepsReport(timelines, used, WINDOW);
  assert.deepEqual(StepsReportView.parse(report), report);
  const [template] = report.templates;
  assert.ok(template !== undefined);
  return template;
}

function rowOf({ steps }: TemplateSteps, id: string): StepRow {
  const row = steps.find(({ step }) => step === id);
  assert.ok(row !== undefined);
  return row;
}

describe('the report on steps', () => {
  test('counts the runs, the visits and the effects of each step', () => {
    const template = templateOf(4, 1);
    assert.deepEqual(
      template.steps.map((row) => `${row.step} ${row.runs} ${row.visits} ${changedWords(row)}`),
      [
        'plan 4 4 not measured',
        'implement 4 5 4 of 4 (51 to 100 %)',
        'test 4 5 1 of 4 (5 to 70 %)',
        'review 4 4 0 of 4 (0 to 49 %)',
      ],
    );
    assert.deepEqual(
      [template.template, template.runs, template.succeeded, template.versions],
      ['test', 4, 4, 1],
    );
  });

  test('adds up the tokens, the time and the money of a step', () => {
    const { tokens, costUsd, costPartial, busyMs } = rowOf(templateOf(2, 1, PRICED), 'implement');
    // The small world starts all first runs of a step under one id.
    assert.ok(tokens !== null && tokens > 0 && costUsd === (tokens / 1000) * 0.25);
    assert.equal(costPartial, false);
    assert.equal(busyMs, 3 * 5000);
  });

  test('knows no cost and no tokens rather than none, if nothing was counted', () => {
    const { tokens, costUsd, costPartial } = rowOf(templateOf(1, 0), 'implement');
    assert.deepEqual([tokens, costUsd, costPartial], [null, null, false]);
  });

  test('knows that a gate uses no tokens', () => {
    const { tokens, costUsd } = rowOf(templateOf(1, 0), 'test');
    assert.deepEqual([tokens, costUsd], [0, 0]);
  });

  test('keeps a price that is unknown apart from nothing', () => {
    const facts = { ...PRICED, costUsd: null, costPartial: true };
    const { tokens, costUsd, costPartial } = rowOf(templateOf(1, 0, facts), 'implement');
    assert.deepEqual([tokens, costUsd, costPartial], [1000, null, true]);
  });

  test('leaves out a step that never ran', () => {
    const never = definition({
      ...DEFINITION.steps,
      docs: role('coder', null),
    });
    const { templates } = buildStepsReport([timelineOf({ definition: never })], new Map(), WINDOW);
    assert.ok(templates[0]?.steps.every(({ step }) => step !== 'docs'));
  });

  test('counts visits that two runs share once', () => {
    const timeline = timelineOf({ definition: DEFINITION });
    const fork = { ...timeline, run: 'fedcba9876' };
    const { templates } = buildStepsReport([timeline, fork], new Map(), WINDOW);
    const { runs, visits } = rowOf(templates[0] as TemplateSteps, 'plan');
    assert.deepEqual([runs, visits], [2, 1]);
  });

  test('counts definitions of one name together, and says so', () => {
    const other = definition({ implement: role('coder', null) });
    const both = [timelineOf({ definition: DEFINITION }), timelineOf({ definition: other })];
    const { templates } = buildStepsReport(both, new Map(), WINDOW);
    const words = stepsWords(templates[0] as TemplateSteps);
    assert.ok(words.some((line) => line.startsWith('2 different lists of steps')));
  });
});

describe('the words about steps', () => {
  test('warn of few runs', () => {
    assert.deepEqual(stepsWords(templateOf(1, 0)), [
      'All steps: fewer than 20 runs are too few to keep or remove a step by the range.',
      'plan: what such a step changes shows only in later steps, so it is not measured here.',
    ]);
  });

  test('warn of the steps that ran in few of many runs', () => {
    const template = templateOf(20, 1);
    const steps = template.steps.map((row) => (row.step === 'test' ? { ...row, runs: 3 } : row));
    const words = stepsWords({ ...template, steps });
    assert.ok(words.some((line) => line.startsWith('test: fewer than 20 runs')));
  });

  test('name a step that changed nothing in many runs, and how to compare', () => {
    assert.deepEqual(stepsWords(templateOf(20, 1)), [
      'review changed nothing in 20 runs: a share above 17 % is unlikely. Compare without it: supervisor ablate test --without review --tasks FILE',
      'plan: what such a step changes shows only in later steps, so it is not measured here.',
    ]);
  });
});
