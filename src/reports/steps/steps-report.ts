/**
 * What the steps of each workflow have cost and how often they changed its outcome, over many runs. It counts what
 * happened. Whether the outcome is better because of a step, only a comparison with and without it can tell.
 */
import { z } from 'zod';
import type { InnerGate, StepEffects } from './step-effects.ts';
import { effectsOf } from './step-effects.ts';
import type { StepShape, StepTimeline, StepVisit } from './step-visits.ts';
import { wilsonInterval } from './wilson.ts';

const count = z.int().nonnegative();
const Interval = z.strictObject({ low: z.number(), high: z.number() });

const StepRow = z.strictObject({
  step: z.string(),
  kind: z.string(),
  /** The runs in which it ran at least once. The counts of effects are counts of these runs. */
  runs: count,
  visits: count,
  /** Null: no agent reported any. */
  tokens: z.number().nullable(),
  /** From the first command of a visit to the end of its last one, over all visits. */
  busyMs: z.number(),
  /** The known part. Null: nothing is known. */
  costUsd: z.number().nullable(),
  /** Some tokens have no known price, so `costUsd` is not all of it. */
  costPartial: z.boolean(),
  effects: z.strictObject({
    changedWork: count,
    repaired: count,
    wasFollowed: count,
    rejected: count,
  }),
  /** The runs with at least one effect. Null: an effect of such a step cannot be seen in the facts. */
  changed: count.nullable(),
  /** The plausible shares of changed runs, at 95 %. Null: nothing is counted. */
  interval: Interval.nullable(),
});
export type StepRow = z.infer<typeof StepRow>;

const TemplateSteps = z.strictObject({
  template: z.string(),
  runs: count,
  /** How many of the runs ended as succeeded. */
  succeeded: count,
  /** How many different lists of steps had this name. */
  versions: count,
  steps: z.array(StepRow),
});
export type TemplateSteps = z.infer<typeof TemplateSteps>;

export const StepsReportView = z.strictObject({
  since: z.number(),
  until: z.number(),
  templates: z.array(TemplateSteps),
  /** The names of all workflows of the period, if only one was asked for. */
  known: z.array(z.string()),
  /** Workflows that have not ended. They are not counted. */
  active: count,
  /** The number of older runs that are not counted because there are too many. */
  leftOut: count,
});
export type StepsReportView = z.infer<typeof StepsReportView>;

/** What the run of a step used, and what its gates found. */
export type StepRunFacts = {
  readonly tokens: number | null;
  readonly costUsd: number | null;
  readonly costPartial: boolean;
  readonly gates: readonly InnerGate[];
};

/** `runs`: the facts of the runs that steps have started, by id. A run that is missing there used nothing known. */
export function buildStepsReport(
  timelines: readonly StepTimeline[],
  runs: ReadonlyMap<string, StepRunFacts>,
  window: Omit<StepsReportView, 'templates'>,
): StepsReportView {
  const byName = Map.groupBy(timelines, ({ template }) => template);
  const templates = [...byName]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([template, all]) => templateSteps(template, all, runs));
  return { ...window, templates };
}

function templateSteps(
  template: string,
  timelines: readonly StepTimeline[],
  runs: ReadonlyMap<string, StepRunFacts>,
): TemplateSteps {
  // The newest definition names the order. Steps that only older ones have come last.
  const newest = timelines.toSorted((a, b) => b.submittedAt - a.submittedAt);
  const shapes = new Map<string, StepShape>();
  for (const { shapes: own } of newest)
    for (const shape of own) if (!shapes.has(shape.id)) shapes.set(shape.id, shape);
  const judged = timelines.map((timeline) => ({
    timeline,
    effects: effectsOf(timeline, (run) => runs.get(run)?.gates ?? []),
  }));
  return {
    template,
    runs: timelines.length,
    succeeded: timelines.filter(({ outcome }) => outcome === 'succeeded').length,
    versions: new Set(timelines.map(({ shapes: own }) => JSON.stringify(own))).size,
    steps: [...shapes.values()].flatMap((shape) => stepRow(shape, judged, runs) ?? []),
  };
}

type Judged = {
  readonly timeline: StepTimeline;
  readonly effects: ReadonlyMap<string, StepEffects>;
};

/** Undefined: the step never ran. */
function stepRow(
  { id, kind, isMeasured }: StepShape,
  judged: readonly Judged[],
  runs: ReadonlyMap<string, StepRunFacts>,
): StepRow | undefined {
  const effects = judged.flatMap((one) => one.effects.get(id) ?? []);
  if (effects.length === 0) return undefined;
  const visits = visitsOf(judged, id);
  const started = [...new Set(visits.flatMap(({ children }) => children))];
  const used = started.flatMap((run) => runs.get(run) ?? []);
  // A gate or a question uses no model. That is nothing, and not unknown.
  const least = started.length === 0 ? 0 : null;
  const times = (effect: keyof StepEffects): number => effects.filter((one) => one[effect]).length;
  const changed = effects.filter((one) => Object.values(one).includes(true)).length;
  return {
    step: id,
    kind,
    runs: effects.length,
    visits: visits.length,
    tokens: sum(
      used.map(({ tokens }) => tokens),
      least,
    ),
    busyMs: visits.reduce((ms, { begunAt, endedAt }) => ms + ((endedAt ?? begunAt) - begunAt), 0),
    costUsd: sum(
      used.map(({ costUsd }) => costUsd),
      least,
    ),
    costPartial: used.some(({ costPartial }) => costPartial),
    effects: {
      changedWork: times('changedWork'),
      repaired: times('repaired'),
      wasFollowed: times('wasFollowed'),
      rejected: times('rejected'),
    },
    changed: isMeasured ? changed : null,
    interval: isMeasured ? (wilsonInterval(changed, effects.length) ?? null) : null,
  };
}

/** Two runs that continue the same run share its visits. Each counts once. */
function visitsOf(judged: readonly Judged[], step: string): readonly StepVisit[] {
  const visits = judged.flatMap(({ timeline }) =>
    timeline.visits.filter((visit) => visit.step === step),
  );
  const byKey = new Map(
    visits.map((visit) => [`${visit.run} ${visit.isQuestion} ${visit.number}`, visit]),
  );
  return [...byKey.values()];
}

/** Null: nothing is known. */
function sum(values: readonly (number | null)[], least: number | null): number | null {
  return values.reduce<number | null>(
    (all, value) => (value === null ? all : (all ?? 0) + value),
    least,
  );
}
