/** Computes what a call is charged once it has ended. */
import { costWith } from './budget-ledger.ts';
import type { CallCharge, CallEstimate } from './budget-ledger.ts';
import type { EndedCall } from '../calls/call-stages.ts';

/** Null: the call was never sent, and does not count. */
export function settledCost(
  { wasSent: left, status, answer, costUsd, writtenTokens }: EndedCall,
  estimate: CallEstimate,
  reserved: CallCharge,
): CallCharge | null {
  if (!left) return null;
  if (status !== null && status >= 400 && !GAVE_UP.has(status)) return FREE;
  const usage = answer?.usage ?? null;
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  // Streams report their usage on the way too. It is final only together with a stop reason.
  if (usage !== null && answer?.stop !== null)
    return { tokens: inputTokens + outputTokens, usd: costUsd, inputTokens, outputTokens };
  const written = Math.max(reserved.outputTokens, outputTokens, writtenTokens);
  const { usd } = costWith(estimate, written);
  const read = Math.max(reserved.inputTokens, inputTokens);
  return {
    tokens: read + written,
    usd: usd === null ? null : Math.max(usd, costUsd ?? 0),
    inputTokens: read,
    outputTokens: written,
  };
}

/** Statuses of a proxy that stopped waiting for the model. The model may have completed its answer. */
const GAVE_UP: ReadonlySet<number> = new Set([504, 524]);

/** Providers charge nothing for a refusal. It still counts as a call. */
const FREE: CallCharge = { tokens: 0, usd: 0, inputTokens: 0, outputTokens: 0 };
