import { isRefusal } from '../base/errors.ts';
import { isFileFault } from './sqlite/sqlite-errors.ts';

/** Whether the error comes from the file or the database and not from its user. Another handle on it may work. */
export function isStoreFault(error: unknown): boolean {
  if (isRefusal(error, 'store.unavailable') || isFileFault(error)) return true;
  return error instanceof Error && error.cause !== undefined && isStoreFault(error.cause);
}
