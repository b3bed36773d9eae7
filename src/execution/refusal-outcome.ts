/** Turns a refusal into an outcome or a text for the journal. */
import { Refusal } from '../base/errors.ts';
import type { FailedAttempt } from '../protocol/attempt-contract.ts';

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

export function startRefused(why: Refusal | string): FailedAttempt {
  const message = typeof why === 'string' ? why : describeRefusal(why);
  return { kind: 'failed', reason: 'start_refused', message };
}
