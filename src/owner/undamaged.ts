import { isRefusal } from '../base/errors.ts';

/** Undefined for a run with a damaged fact. Reports leave it out, and `supervisor doctor` names it. */
export async function undamaged<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isRefusal(error, 'store.damaged')) return undefined;
    throw error;
  }
}
