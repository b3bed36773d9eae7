/** What a call is charged once it is over. */
import { costWith } from './budget-ledger.ts';
import type { CallCharge, CallEstimate } from './budget-ledger.ts';
import type { EndedCall } from '../calls/exchange.ts';

/** Null: it never left, and counts for nothing. */
export function settledCost(
  { left, status, answer, costUsd, writtenTokens }: EndedCall,
  wish: CallEstimate,
  reserved: CallCharge,
): CallCharge | null {
  if (!left) return null;
  if (status !== null && status >= 400 && !GAVE_UP.has(status)) return FREE;
  const usage = answer?.usage ?? null;
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  // Usage is told on the way too, and only together with a stop is it the last word.
  if (usage !== null && answer?.stop !== null)
    return { tokens: inputTokens + outputTokens, usd: costUsd, inputTokens, outputTokens };
  const written = Math.max(reserved.outputTokens, outputTokens, writtenTokens);
  const { usd } = costWith(wish, written);
  const read = Math.max(reserved.inputTokens, inputTokens);
  return {
    tokens: read + written,
    usd: usd === null ? null : Math.max(usd, costUsd ?? 0),
    inputTokens: read,
    outputTokens: written,
  };
}

/** A server in front of the model has stopped waiting for it, and the model may have gone on to its end. */
const GAVE_UP: ReadonlySet<number> = new Set([504, 524]);

/** Providers charge nothing for a refusal; as a call it counts. */
const FREE: CallCharge = { tokens: 0, usd: 0, inputTokens: 0, outputTokens: 0 };
