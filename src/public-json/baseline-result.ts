/** How the gates of a run judged the base, for scripts. */
import { z } from 'zod';
import type { BaselineRecord } from '../reports/runs/baseline-record.ts';
import type { GateRecord } from '../reports/runs/gate-record.ts';
import { field } from './document.ts';

const State = z.enum(['passed', 'failed', 'unable']);

export const BaselineResult = z.strictObject({
  name: z.string(),
  state: field(State, 'unable: the gate could not run.'),
  reused: field(z.boolean(), 'An earlier run has judged the same base.'),
  tests: field(
    z.strictObject({ passed: z.int(), failed: z.int(), skipped: z.int() }).nullable(),
    'Null: its tests were not counted.',
  ),
  failing: field(
    z.array(z.string()),
    'Names of tests that failed. There may be fewer than failed.',
  ),
  since: field(
    z
      .strictObject({
        state: State,
        compared_by: field(z.enum(['tests', 'output', 'none']), 'none: they cannot be told apart.'),
        still_failing: z.array(z.string()),
        fixed: z.array(z.string()),
        newly_failing: z.array(z.string()),
      })
      .nullable(),
    'How the last outcome of the gate differs from a red base. Null: it was not red, or has not run since.',
  ),
});
type BaselineResult = z.infer<typeof BaselineResult>;

/** `gates`: those of all attempts, in order. A gate that was interrupted has no result. */
export function baselineResults(
  baseline: readonly BaselineRecord[],
  gates: readonly GateRecord[],
): BaselineResult[] {
  return baseline.flatMap(({ name, outcome, isReused }) => {
    if (outcome === null) return [];
    const counted = outcome.kind === 'unable' ? undefined : outcome.counted;
    const { passed = 0, failed = 0, skipped = 0, failing = [] } = counted ?? {};
    return [
      {
        name,
        state: outcome.kind,
        reused: isReused,
        tests: counted === undefined ? null : { passed, failed, skipped },
        failing: [...failing],
        since: sinceResult(
          gates.findLast((one) => one.name === name && one.kind !== 'interrupted'),
        ),
      },
    ];
  });
}

function sinceResult(gate: GateRecord | undefined): BaselineResult['since'] {
  if (gate === undefined || gate.kind === 'interrupted' || gate.sinceBase === null) return null;
  const { by, still, fixed, fresh } = gate.sinceBase;
  return {
    state: gate.kind,
    compared_by: by,
    still_failing: [...still],
    fixed: [...fixed],
    newly_failing: [...fresh],
  };
}
