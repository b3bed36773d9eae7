/** Where an apply prepares itself: inside the user's tree, so that a rename is enough, and never part of it. */
export const STAGING_PREFIX = '.supervisor-apply-';

export function stagingName(run: string, attempt: number): string {
  return `${STAGING_PREFIX}${run}-${attempt}`;
}
