/** How a gate judged the base, in the history of a run. */
import type { CommandEnd } from '../../protocol/commands.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import type { ToldApart } from '../../protocol/words/baseline-words.ts';
import { tellApart } from '../../protocol/words/baseline-words.ts';

export type BaselineRecord = {
  readonly key: string;
  readonly name: string;
  readonly begunAt: number;
  /** Null until it has ended. */
  readonly endedAt: number | null;
  /** Null: it has not ended, or was interrupted. */
  readonly outcome: GateOutcome | null;
  /** Whether an earlier run has judged the same base. */
  readonly isReused: boolean;
};

export function newBaselineRecord(key: string, name: string, begunAt: number): BaselineRecord {
  return { key, name, begunAt, endedAt: null, outcome: null, isReused: false };
}

export function endBaseline(
  record: BaselineRecord,
  end: CommandEnd<'baseline'>,
  endedAt: number,
): BaselineRecord {
  switch (end.kind) {
    case 'done':
      return {
        ...record,
        endedAt,
        outcome: end.result.outcome,
        isReused: end.result.how === 'reused',
      };
    case 'interrupted':
      return { ...record, endedAt };
    case 'defect': {
      const why = `Internal error: ${end.message}`;
      return { ...record, endedAt, outcome: { kind: 'unable', name: record.name, why } };
    }
  }
}

/** How a gate's outcome differs from a red base. Null: the gate was not red there, or that is not known. */
export function sinceBase(
  baseline: readonly BaselineRecord[],
  outcome: GateOutcome,
): ToldApart | null {
  const base = baseline.findLast((one) => one.name === outcome.name && one.outcome !== null);
  return base?.outcome?.kind === 'failed' ? tellApart(base.outcome, outcome) : null;
}
