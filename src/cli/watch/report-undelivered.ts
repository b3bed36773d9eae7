/** After a run, says which notifications about it did not arrive: no other screen shows that until it is asked for. */
import { isRefusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { NotificationEvent, StoredEvent } from '../../protocol/event.ts';
import { describeUndelivered, undeliveredByRun } from '../../reports/runs/undelivered.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { ownSettings } from '../input/own-settings.ts';

/** One delivery may take 10 seconds. */
const WAIT_MS = 12_000;
const POLL_MS = 50;
/** After this time without a word, a person would ask what the command waits for. */
const SILENT_MS = 1000;

/** `waits`: first wait, for a bounded time, until the notifications of the end are sent. */
export async function reportUndelivered(
  context: CliContext,
  client: Client,
  run: string,
  waits: boolean,
): Promise<void> {
  try {
    const facts = await notificationsOf(context, client, run, waits);
    for (const one of undeliveredByRun(facts).get(run) ?? [])
      context.err(paint(context, 'yellow', `${printable(describeUndelivered(one))}\n`));
  } catch (error) {
    if (!isRefusal(error)) throw error; // the owner is gone: its next one sends them
  }
}

async function notificationsOf(
  context: CliContext,
  client: Client,
  run: string,
  waits: boolean,
): Promise<readonly NotificationEvent[]> {
  const expected = waits ? await countReceivers(context, client, run) : 0;
  const { clock } = context;
  const since = clock.now();
  for (let isTold = false; ;) {
    const facts = (await client.notifications(run)).filter(isNotification);
    const waitedMs = clock.now() - since;
    if (countSent(facts) >= expected || waitedMs > WAIT_MS) return facts;
    if (!isTold && waitedMs > SILENT_MS) {
      isTold = true;
      context.err(paint(context, 'dim', 'Sending the notification…\n'));
    }
    await clock.sleep(POLL_MS);
  }
}

/** How many receivers are told of the end of the run. */
async function countReceivers(context: CliContext, client: Client, run: string): Promise<number> {
  const [first] = await client.events({ run, after: 0, limit: 1 });
  const submission =
    first?.type === 'run.submitted'
      ? first.payload
      : first?.type === 'run.forked'
        ? first.payload.submission
        : undefined;
  if (submission === undefined) return 0;
  const { notifiers } = (await ownSettings(context)).notifications;
  const told = notifiers.filter(({ events }) => events.includes('ended'));
  return told.length + (submission.notify === undefined ? 0 : 1);
}

/** A run asks any number of times, and ends once. */
function countSent(facts: readonly NotificationEvent[]): number {
  const ends = facts.filter(
    ({ type, payload }) => type === 'notification.begun' && payload.about === 'ended',
  );
  const seqs = new Set(ends.map(({ payload }) => payload.seq));
  return facts.filter(({ type, payload }) => type === 'notification.ended' && seqs.has(payload.seq))
    .length;
}

function isNotification(event: StoredEvent): event is NotificationEvent {
  return event.type === 'notification.begun' || event.type === 'notification.ended';
}
