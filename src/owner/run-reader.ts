import type { RunId } from '../base/ids.ts';
import { runStream } from '../protocol/streams.ts';
import type { RunEvent, StoredEvent } from '../protocol/event.ts';
import type { EventIn } from '../protocol/streams.ts';
import type { Journal, Page } from '../store/journal.ts';

/** Reading a page blocks the event loop, so a page is small. */
const PAGE = 250;

/** Yields all facts of a run, oldest first, page by page. */
export function readHistoryOfRun(journal: Journal, id: RunId): AsyncGenerator<RunEvent, void> {
  return readStream(journal, runStream(id), 0);
}

/** Yields the facts of a stream after `from`, oldest first, page by page. */
export async function* readStream<Name extends string>(
  journal: Pick<Journal, 'readStream'>,
  stream: Name,
  from: number,
): AsyncGenerator<EventIn<Name>, void> {
  for (let after = from; ;) {
    const events = await journal.readStream(stream, { after, limit: PAGE });
    yield* events;
    if (events.length < PAGE) return;
    after += events.length;
  }
}

/**
 * Yields the facts of a stream up to `upTo`, newest first, so that a caller finds the latest
 * without reading the rest.
 */
export async function* readBackwards<Name extends string>(
  journal: Pick<Journal, 'lastSeq' | 'readStream'>,
  stream: Name,
  upTo = Infinity,
): AsyncGenerator<EventIn<Name>, void> {
  for (let last = Math.min(upTo, await journal.lastSeq(stream)); last > 0;) {
    const limit = Math.min(PAGE, last);
    const page = await journal.readStream(stream, { after: last - limit, limit });
    yield* page.toReversed();
    last -= limit;
  }
}

/**
 * Reads one page of a stream, or of all streams if none is given. A long page is read in pieces.
 */
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

/** The place after which the last `count` facts of a stream are, or of all streams if none is given. */
export async function lastBut(
  journal: Pick<Journal, 'lastSeq' | 'lastId'>,
  stream: string | undefined,
  count: number,
): Promise<number> {
  const last = await (stream === undefined ? journal.lastId() : journal.lastSeq(stream));
  return Math.max(0, last - count);
}
