/** What the steps of workflows cost and change: `report --steps --json`. */
import { z } from 'zod';
import type { StepRow, StepsReportView } from '../reports/steps/steps-report.ts';
import { stepsWords } from '../reports/steps/steps-words.ts';
import { costUsd, documentSchema, durationMs, field, time, tokens, toIso } from './document.ts';

const runsWith = (effect: string): z.ZodInt => field(z.int(), `The runs in which ${effect}.`);

const Step = z.strictObject({
  step: z.string(),
  kind: field(z.string(), 'role, gate, human, review, command or commit.'),
  runs: field(z.int(), 'The runs in which it ran at least once.'),
  visits: field(z.int(), 'How often it ran in all.'),
  total_tokens: tokens,
  duration_ms: field(
    durationMs,
    'Of all visits. Of a human step: how long it waited for a person.',
  ),
  cost_usd: costUsd,
  known_cost_usd: field(z.number().nullable(), 'The part of the cost whose price is known.'),
  changed_runs: field(
    z.int().nullable(),
    'The runs in which it changed the outcome in one of the ways below. Null: it is not measured.',
  ),
  changed_share: field(
    z.strictObject({ low: z.number(), high: z.number() }).nullable(),
    'The Wilson interval of the share of changed runs, at 95 %. Null: it is not measured.',
  ),
  effects: z.strictObject({
    changed_work: runsWith('the work was another one after it'),
    repaired: runsWith('a gate was red before it and green after it'),
    was_followed: runsWith('it sent the work back, and the work was changed'),
    rejected: runsWith('a person rejected the work there'),
  }),
});

export const StepsReportDocument = documentSchema(
  'steps-report',
  'What each step of each workflow cost, and how often it changed the outcome.',
  {
    since: time,
    until: time,
    templates: z.array(
      z.strictObject({
        template: field(z.string(), 'The name of the workflow.'),
        runs: z.int(),
        succeeded: z.int(),
        versions: field(z.int(), 'How many different lists of steps had this name.'),
        steps: z.array(Step),
        notes: field(z.array(z.string()), 'What the figures say, and what they cannot say.'),
      }),
    ),
    active_runs: field(z.int(), 'Workflows that have not ended. They are not counted.'),
    left_out: field(z.int(), 'Older runs that are not counted because there are too many.'),
  },
);

export function stepsReportDocument(view: StepsReportView): z.infer<typeof StepsReportDocument> {
  return {
    schema: 'supervisor.steps-report/1',
    since: toIso(view.since),
    until: toIso(view.until),
    templates: view.templates.map((one) => ({
      template: one.template,
      runs: one.runs,
      succeeded: one.succeeded,
      versions: one.versions,
      steps: one.steps.map(stepOf),
      notes: [...stepsWords(one)],
    })),
    active_runs: view.active,
    left_out: view.leftOut,
  };
}

function stepOf(row: StepRow): z.infer<typeof Step> {
  const { changedWork, repaired, wasFollowed, rejected } = row.effects;
  return {
    step: row.step,
    kind: row.kind,
    runs: row.runs,
    visits: row.visits,
    total_tokens: row.tokens,
    duration_ms: row.busyMs,
    cost_usd: row.costPartial ? null : row.costUsd,
    known_cost_usd: row.costUsd,
    changed_runs: row.changed,
    changed_share: row.interval,
    effects: { changed_work: changedWork, repaired, was_followed: wasFollowed, rejected },
  };
}
