/** The recorded notifications about runs. They are facts of a stream that all runs share. */
import type { RunId } from '../../base/ids.ts';
import type { NotificationEvent } from '../../protocol/event.ts';
import { NOTIFICATION_STREAM, runStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';
import { readBackwards } from '../run-reader.ts';

/** More than this many newer notifications, of all runs, hide those of an old run. */
const READ_MAX = 10_000;

/** Of one run, oldest first. None of them is older than the run. */
export async function notificationsOf(
  journal: Pick<Journal, 'lastSeq' | 'readStream'>,
  run: RunId,
): Promise<readonly NotificationEvent[]> {
  const [first] = await journal.readStream(runStream(run), { after: 0, limit: 1 });
  if (first === undefined) return [];
  const all = await newest(journal, ({ id }) => id < first.id);
  return all.filter(({ payload }) => payload.run === run);
}

/** Of all runs, oldest first. */
export function notificationsSince(
  journal: Pick<Journal, 'lastSeq' | 'readStream'>,
  since: number,
): Promise<readonly NotificationEvent[]> {
  return newest(journal, ({ at }) => at < since);
}

async function newest(
  journal: Pick<Journal, 'lastSeq' | 'readStream'>,
  isTooOld: (fact: NotificationEvent) => boolean,
): Promise<readonly NotificationEvent[]> {
  const found: NotificationEvent[] = [];
  for await (const fact of readBackwards(journal, NOTIFICATION_STREAM)) {
    if (isTooOld(fact) || found.length === READ_MAX) break;
    found.push(fact);
  }
  return found.toReversed();
}
