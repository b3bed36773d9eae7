import type { RunId } from '../base/ids.ts';
import { runStream } from '../protocol/event.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { Journal, Page } from '../store/journal.ts';

/** What is read at once is not interrupted, so it is little. */
const PAGE = 250;

/** All facts of a run's own stream, oldest first, a page at a time. */
export function readHistoryOfRun(journal: Journal, id: RunId): AsyncGenerator<StoredEvent, void> {
  return readStream(journal, runStream(id), 0);
}

/** The facts of a stream after this seq, oldest first, a page at a time. */
export async function* readStream(
  journal: Pick<Journal, 'readStream'>,
  stream: string,
  from: number,
): AsyncGenerator<StoredEvent, void> {
  for (let after = from; ;) {
    const events = await journal.readStream(stream, { after, limit: PAGE });
    yield* events;
    if (events.length < PAGE) return;
    after += events.length;
  }
}

/** The facts of a stream up to this seq, newest first: what happened last is found without reading the rest. */
export async function* readBackwards(
  journal: Pick<Journal, 'lastSeq' | 'readStream'>,
  stream: string,
  upTo = Infinity,
): AsyncGenerator<StoredEvent, void> {
  for (let last = Math.min(upTo, await journal.lastSeq(stream)); last > 0;) {
    const limit = Math.min(PAGE, last);
    const page = await journal.readStream(stream, { after: last - limit, limit });
    yield* page.toReversed();
    last -= limit;
  }
}

/** One page of a stream, or of all; a long one is read in pieces. */
export async function readPage(
  journal: Journal,
  stream: string | undefined,
  { after, limit }: Page,
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let from = after; events.length < limit;) {
    const piece = { after: from, limit: Math.min(PAGE, limit - events.length) };
    const found = await (stream === undefined
      ? journal.readAll(piece)
      : journal.readStream(stream, piece));
    events.push(...found);
    const last = found.at(-1);
    if (last === undefined || found.length < piece.limit) break;
    from = stream === undefined ? last.id : last.seq;
  }
  return events;
}
