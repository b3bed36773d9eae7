import type { RunId } from '../base/ids.ts';
import { runStream } from '../protocol/event.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { Journal } from '../store/journal.ts';

const PAGE = 1000;

/** All facts of a run's own stream, oldest first, a page at a time. */
export function historyOf(journal: Journal, id: RunId): AsyncGenerator<StoredEvent, void> {
  return factsOfStream(journal, runStream(id), 0);
}

/** The facts of a stream after this seq, oldest first, a page at a time. */
export async function* factsOfStream(
  journal: Journal,
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
