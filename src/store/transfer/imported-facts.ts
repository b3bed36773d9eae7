/** What both databases check when facts are imported. */
import { Refusal } from '../../base/errors.ts';
import type { StoredEvent } from '../../protocol/event.ts';

/** SQL: a fact that each owner leaves, also one that had no work. */
export const ONLY_OWNERS = "type IN ('owner.started', 'owner.stopped')";

export function isOnlyOfOwner({ type }: StoredEvent): boolean {
  return type === 'owner.started' || type === 'owner.stopped';
}

/** SQL: a stream whose facts are not numbered from 1 without a gap. Two facts cannot have one number. */
export function findGap(events: string): string {
  return `SELECT stream FROM ${events} GROUP BY stream HAVING min(seq) <> 1 OR max(seq) <> count(*) LIMIT 1`;
}

export function refuseGap(stream: string | undefined): void {
  if (stream === undefined) return;
  throw new Refusal({
    code: 'store.damaged',
    message: `The file lacks a fact of the stream ${JSON.stringify(stream)}. Nothing was imported.`,
    hint: 'Write the file again, with: supervisor journal export FILE',
    details: { stream },
  });
}
