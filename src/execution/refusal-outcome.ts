/** What can't be done here, as an outcome and in words for the record. */
import { Refusal } from '../base/errors.ts';

/** What can't be done here is an outcome; anything else thrown is a defect. */
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
