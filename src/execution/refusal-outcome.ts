/** Turns a refusal into an outcome or a text for the journal. */
import { Refusal } from '../base/errors.ts';
import type { RefusalCode } from '../base/errors.ts';
import type { FailedAttempt } from '../protocol/contracts/attempt-contract.ts';

/** Returns a refusal as a value. Any other error is a defect and is thrown. */
export async function refusalOr<Value>(work: Promise<Value>): Promise<Value | Refusal> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

export function describeRefusal({ data: { message, hint } }: Refusal): string {
  return hint === undefined ? message : `${message} ${hint}`;
}

/** A project that can't be copied concerns every agent of the run, so no other agent is tried. */
const PROJECT_REFUSALS: ReadonlySet<RefusalCode> = new Set([
  'workspace.too-large',
  'workspace.unsupported',
]);

export function startRefused(why: Refusal | string): FailedAttempt {
  if (typeof why === 'string') return { kind: 'failed', reason: 'start_refused', message: why };
  const reason = PROJECT_REFUSALS.has(why.data.code) ? 'workspace_denied' : 'start_refused';
  return { kind: 'failed', reason, message: describeRefusal(why), refusal: why.data.code };
}
