import type { RunId } from '../base/ids.ts';
import { runStream } from '../protocol/event.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { Journal } from '../store/journal.ts';

const PAGE = 1000;

/** All facts of a run's own stream, oldest first, a page at a time. */
export async function* historyOf(journal: Journal, id: RunId): AsyncGenerator<StoredEvent, void> {
  for (let after = 0; ;) {
    const events = await journal.readStream(runStream(id), { after, limit: PAGE });
    yield* events;
    if (events.length < PAGE) return;
    after += events.length;
  }
}
