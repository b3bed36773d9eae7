import type { TurnRecord } from '../protocol/turn.ts';

/** How full the context of the model is, from 0 to 1. Null: it is not known. */
export function contextFill({
  contextTokens,
  contextTokensMax,
}: Pick<TurnRecord, 'contextTokens' | 'contextTokensMax'>): number | null {
  if (contextTokens === null || contextTokensMax === null || contextTokensMax <= 0) return null;
  return Math.min(1, contextTokens / contextTokensMax);
}
