/**
 * Since when an earlier owner may have left notifiers untold. It told them about everything before its end, so what is
 * older than that is no news: a notifier may be new.
 */
import { OWNER_STREAM } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';

/** Whatever the earlier owner did, older news helps no person. */
const NEWS_MS = 3_600_000;
/** An end waits for the command that submitted its run, and for deliveries that began before it. */
const DELIVERY_MS = 180_000;
/** An owner writes few facts about itself before its components start. */
const SEARCH_BACK = 100;

export async function missedSince(
  journal: Pick<Journal, 'lastSeq' | 'readStream'>,
  now: number,
): Promise<number> {
  const lastSeq = await journal.lastSeq(OWNER_STREAM);
  const facts = await journal.readStream(OWNER_STREAM, {
    after: Math.max(0, lastSeq - SEARCH_BACK),
    limit: SEARCH_BACK,
  });
  const started = facts.findLast(({ type }) => type === 'owner.started');
  const aliveAt = started?.type === 'owner.started' ? started.payload.aliveAt : undefined;
  return Math.max(now - NEWS_MS, (aliveAt ?? 0) - DELIVERY_MS);
}
