/** Why an attempt failed, as the history of its run has it. */
import { defined } from '../../base/defined.ts';
import type { RefusalCode } from '../../base/errors.ts';
import type { FailedAttempt } from '../../protocol/contracts/attempt-contract.ts';
import type { FailureReason } from '../../protocol/failure-reason.ts';

export type Evidence = { readonly source: string; readonly line: string; readonly rule: string };

export type FailureRecord = {
  readonly type: string | null;
  readonly category: string | null;
  readonly recovery: string | null;
  readonly reason: FailureReason;
  readonly message: string;
  readonly resetAt: number | null;
  readonly evidence: readonly Evidence[];
  /** The code of the refusal because of which the agent was not started. */
  readonly refusal: RefusalCode | null;
  /** The model whose price is unknown. */
  readonly model?: string;
};

export function toFailureRecord(failed: FailedAttempt): FailureRecord {
  const { reason, message, failure, refusal = null } = failed;
  return {
    type: failure?.type ?? null,
    category: failure?.category ?? null,
    recovery: failure?.recovery ?? null,
    reason,
    message,
    resetAt: failure?.resetAt ?? null,
    evidence: failure?.evidence ?? [],
    refusal,
    ...defined({ model: failure?.model }),
  };
}

export function simpleFailure(reason: FailureReason, message: string): FailureRecord {
  const classification =
    reason === 'interrupted' ? ['container_crash', 'cli_error', 'transient'] : [];
  const [type = null, category = null, recovery = null] = classification;
  const unknown = { resetAt: null, evidence: [], refusal: null };
  return { type, category, recovery, reason, message, ...unknown };
}
