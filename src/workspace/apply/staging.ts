/**
 * The folder in which an apply stages its files. It is inside the user's tree, so that a rename is enough, and is
 * never part of a snapshot.
 */
export const STAGING_PREFIX = '.supervisor-apply-';

export function stagingName(run: string, attempt: number): string {
  return `${STAGING_PREFIX}${run}-${attempt}`;
}
