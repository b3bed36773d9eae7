/** What the two stages before the first attempt have in common: the setup and the baseline. */
import type { CommandKey } from '../../base/ids.ts';
import { plural } from '../../base/text.ts';
import type { LimitRequest } from '../../engine/limits.ts';
import type { Move } from '../../engine/program.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';

export type StageRules = {
  readonly interruptionsMax: number;
  /** The strongest stop that a user has asked for. */
  readonly stop: 'stop' | 'kill' | null;
  readonly limits: readonly LimitRequest[];
};

export type StageMove =
  | { readonly kind: 'moves'; readonly moves: readonly Move[] }
  | { readonly kind: 'end'; readonly outcome: RunOutcome };

/** While a command of the stage is open, the only move is to cancel it. */
export function moveWhileOpen(key: CommandKey, stop: StageRules['stop']): StageMove {
  if (stop === null) return { kind: 'moves', moves: [] };
  return { kind: 'moves', moves: [{ kind: 'cancel', key, how: stop === 'kill' ? 'kill' : 'ask' }] };
}

/** The end of a run whose owner died too often during the stage. Undefined: the stage continues. */
export function endAfterInterruptions(
  stage: 'setup' | 'baseline',
  interruptions: number,
  { interruptionsMax }: StageRules,
): StageMove | undefined {
  if (interruptions <= interruptionsMax) return undefined;
  const times = plural(interruptions, 'time');
  const reason = `the ${stage} was interrupted ${times} because the owner ended`;
  return { kind: 'end', outcome: { kind: 'exhausted', reason } };
}
