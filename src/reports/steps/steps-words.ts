/** What the figures of steps say in words, and what they cannot say. */
import { plural } from '../../base/text.ts';
import type { StepRow, TemplateSteps } from './steps-report.ts';

/** With fewer runs the interval is so wide that it decides nothing. */
const RUNS_ENOUGH = 20;

/** `3 of 12 (9 to 53 %)`. */
export function changedWords({ changed, runs, interval }: StepRow): string {
  if (changed === null || interval === null) return 'not measured';
  return `${changed} of ${runs} (${percent(interval.low)} to ${percent(interval.high)} %)`;
}

function percent(share: number): number {
  return Math.round(share * 100);
}

/** Sentences about one workflow, the most useful first. */
export function stepsWords({ template, steps, versions }: TemplateSteps): readonly string[] {
  const idle = steps.filter(
    (one) => one.changed === 0 && one.runs >= RUNS_ENOUGH && usesAgents(one),
  );
  const unmeasured = steps.filter(({ changed }) => changed === null).map(({ step }) => step);
  const measured = steps.filter(({ changed }) => changed !== null);
  const few = measured.filter((one) => one.runs < RUNS_ENOUGH);
  return [
    ...idle.map(
      ({ step, runs: times, interval }) =>
        `${step} changed nothing in ${plural(times, 'run')}: a share above ${Math.ceil((interval?.high ?? 1) * 100)} % is unlikely. Compare without it: supervisor ablate ${template} --without ${step} --tasks FILE`,
    ),
    ...(few.length === 0
      ? []
      : [
          `${few.length === measured.length ? 'All steps' : few.map(({ step }) => step).join(', ')}: fewer than ${RUNS_ENOUGH} runs are too few to keep or remove a step by the range.`,
        ]),
    ...(unmeasured.length === 0
      ? []
      : [
          `${unmeasured.join(', ')}: what such a step changes shows only in later steps, so it is not measured here.`,
        ]),
    ...(versions > 1
      ? [`${versions} different lists of steps had this name. They are counted together.`]
      : []),
  ];
}

/** A gate or a question costs no tokens, so there is nothing to save. */
function usesAgents({ kind }: StepRow): boolean {
  return kind === 'role' || kind === 'review';
}

/** What is true of every such report. */
export const STEPS_LIMITS: readonly string[] = [
  'Changed: runs in which the step changed the work, made a red gate green, or sent the work back and was followed.',
  'The range holds the true share in 95 of 100 such reports. A change need not be a gain: only supervisor ablate compares.',
];
