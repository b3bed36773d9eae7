/** The recorded notifications about one run. They are facts of a stream that all runs share. */
import type { RunId } from '../../base/ids.ts';
import type { NotificationEvent } from '../../protocol/event.ts';
import { NOTIFICATION_STREAM, runStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';
import { readBackwards } from '../run-reader.ts';

/** More than this many newer notifications, of all runs, hide those of an old run. */
const READ_MAX = 10_000;

/** Oldest first. None of them is older than the run. */
export async function notificationsOf(
  journal: Pick<Journal, 'lastSeq' | 'readStream'>,
  run: RunId,
): Promise<readonly NotificationEvent[]> {
  const [first] = await journal.readStream(runStream(run), { after: 0, limit: 1 });
  const found: NotificationEvent[] = [];
  let read = 0;
  for await (const fact of readBackwards(journal, NOTIFICATION_STREAM)) {
    if (first === undefined || fact.id < first.id || read === READ_MAX) break;
    read += 1;
    if (fact.payload.run === run) found.push(fact);
  }
  return found.toReversed();
}
