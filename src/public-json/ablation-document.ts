/** A comparison of a workflow with and without a step: `ablate --json`. */
import { z } from 'zod';
import { ARMS } from '../protocol/ablation.ts';
import type { AblationView } from '../protocol/views/ablation-view.ts';
import type { ArmTotals } from '../reports/steps/compare-arms.ts';
import { compareArms } from '../reports/steps/compare-arms.ts';
import { comparedWords } from '../reports/steps/compared-words.ts';
import { costUsd, documentSchema, durationMs, field, runId, tokens } from './document.ts';
import type { ErrorFields } from './error-document.ts';
import { commandError } from './error-document.ts';

const Arm = z.strictObject({
  trials: z.int(),
  solved: field(z.int(), 'Trials whose work all gates judged green.'),
  total_tokens: tokens,
  cost_usd: costUsd,
  duration_ms: durationMs,
});

export const AblationDocument = documentSchema(
  'ablation',
  'A comparison of a workflow with and without one of its steps.',
  {
    run_id: runId,
    template: field(z.string(), 'The name of the workflow.'),
    step: field(z.string(), 'The step that one arm leaves out.'),
    seed: field(z.int(), 'It decides the order of the trials.'),
    tasks: z.array(z.string()),
    outcome: field(z.string().nullable(), 'How the comparison ended. Null: it has not.'),
    reason: z.string().nullable(),
    planned_trials: z.int(),
    pairs: field(z.int(), 'Pairs both trials of which have a verdict.'),
    wins: field(z.int(), 'Pairs that only the arm with the step solved.'),
    losses: field(z.int(), 'Pairs that only the arm without the step solved.'),
    ties: z.int(),
    void_pairs: field(z.int(), 'Pairs in which a trial has no verdict. They do not count.'),
    p_value: field(
      z.number().nullable(),
      "McNemar's exact test, two-sided. Null: no pair differs.",
    ),
    arms: z.strictObject({ with: Arm, without: Arm }),
    trials: z.array(
      z.strictObject({
        task: field(z.int(), 'The place of the task in the list, from 1.'),
        round: z.int(),
        arm: z.enum(ARMS),
        run_id: field(runId.nullable(), 'Null: it was never started.'),
        verdict: field(
          z.enum(['solved', 'unsolved', 'void']),
          'void: it says nothing about the arm.',
        ),
        reason: field(z.string(), 'Why it is not solved. Empty: it is.'),
        duration_ms: durationMs,
        total_tokens: tokens,
        cost_usd: costUsd,
      }),
    ),
    notes: field(z.array(z.string()), 'What the figures say, and what they cannot say.'),
    error: commandError,
  },
);

export function ablationDocument(
  view: AblationView,
  error: ErrorFields | null = null,
): z.infer<typeof AblationDocument> {
  const compared = compareArms(view.results);
  const { pairs, wins, losses, ties, voidPairs, pValue, arms } = compared;
  return {
    schema: 'supervisor.ablation/1',
    run_id: view.run,
    template: view.template,
    step: view.step,
    seed: view.seed,
    tasks: view.tasks,
    outcome: view.outcome?.kind ?? null,
    reason: view.outcome?.reason ?? null,
    planned_trials: view.planned,
    ...{ pairs, wins, losses, ties },
    void_pairs: voidPairs,
    p_value: pValue,
    arms: { with: armOf(arms.with), without: armOf(arms.without) },
    trials: view.results.map((one) => ({
      task: one.task + 1,
      round: one.round,
      arm: one.arm,
      run_id: one.run,
      verdict: one.verdict,
      reason: one.why,
      duration_ms: one.durationMs,
      total_tokens: one.tokens,
      cost_usd: one.costUsd,
    })),
    notes: [...comparedWords(view, compared)],
    error,
  };
}

function armOf(totals: ArmTotals): z.infer<typeof Arm> {
  return {
    trials: totals.trials,
    solved: totals.solved,
    total_tokens: totals.tokens,
    cost_usd: totals.costUsd,
    duration_ms: totals.durationMs,
  };
}
