/**
 * Sends notifications when a run has ended or asks, or its login is about to expire. Each is delivered once and recorded before and
 * after, even if this owner dies in between. A failed delivery never changes the run.
 */
import type { Clock } from '../../base/clock.ts';
import { describeError, isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type {
  NewNotificationEvent,
  NotificationEvent,
  Payload,
  StoredEvent,
} from '../../protocol/event.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import { NOTIFICATION_STREAM, runOfStream, runStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';
import { followEvents } from '../../store/follow.ts';
import { Projection } from '../../store/projection.ts';
import type { RunConclusion } from '../../public-json/run-result.ts';
import type { Notification, NotifyAddress } from './deliver-notification.ts';

export type NotificationPorts = {
  readonly journal: Journal;
  readonly clock: Clock;
  /** Creates the notification about a run. `conclusion` is undefined if the run needed none. */
  readonly create: (
    run: RunId,
    about: About,
    conclusion?: RunConclusion | null,
  ) => Promise<Notification>;
  /** Waits for what the command that submitted the run makes of its end. Null: it ended without a word. */
  readonly conclusion: (
    run: RunId,
    endedAt: number,
    signal: AbortSignal,
  ) => Promise<RunConclusion | null>;
  /** Resolves with the result as text. */
  readonly deliver: (address: NotifyAddress, notification: Notification) => Promise<string>;
  readonly log: (line: string) => void;
  /** Notifications have stopped: the journal or this component failed. */
  readonly onFault: (why: string) => void;
};

type About = Payload<'notification.begun'>['about'];

/** How far back an owner searches for notifications that an earlier owner did not send. */
const SEARCH_BACK = 1000;
const RUNS_MAX = 200;
const SEARCH_BACK_MS = 86_400_000;
const DELIVERIES_MAX = 8;

/** Where the notifications of a run go, and whether the one of its end waits for the command that submitted it. */
type NotifyRequest = NotifyAddress & { readonly concludes: boolean };

/** Notifications whose delivery an owner has started and not ended. */
type OpenNotifications = ReadonlyMap<string, Payload<'notification.begun'>>;

export class Notifications {
  readonly #ports: NotificationPorts;
  readonly #closing = new AbortController();
  /**
   * Notifications that were sent at the start, before `#follow` read their facts. `#handle` skips each
   * of them once.
   */
  readonly #sentEarly = new Set<string>();
  readonly #deliveries = new Set<Promise<void>>();
  /** Notifications that wait for the command of their run. They hold up no other. */
  readonly #held = new Set<Promise<void>>();
  readonly #stored: Projection<OpenNotifications, typeof NOTIFICATION_STREAM>;
  #following: Promise<void> = Promise.resolve();
  /** The id of the last fact that was read. */
  #lastId = 0;

  private constructor(
    ports: NotificationPorts,
    stored: Projection<OpenNotifications, typeof NOTIFICATION_STREAM>,
  ) {
    this.#ports = ports;
    this.#stored = stored;
  }

  static async open(ports: NotificationPorts): Promise<Notifications> {
    const seen = await ports.journal.lastId();
    /** Only the start needs these, so the fold does not collect the notifications of this owner. */
    const begunBefore = new Set<string>();
    let isOpening = true;
    const stored = await Projection.open<OpenNotifications, typeof NOTIFICATION_STREAM>({
      ...ports,
      stream: NOTIFICATION_STREAM,
      initial: new Map(),
      fold: (open, event) => {
        const { run, seq } = event.payload;
        if (isOpening && event.type === 'notification.begun') begunBefore.add(factKey(run, seq));
        return foldOpen(open, event);
      },
      snapshots: { kind: 'newest', eventsMax: SEARCH_BACK },
    });
    isOpening = false;
    const notifications = new Notifications(ports, stored);
    notifications.#lastId = seen;
    await notifications.#closeOpen();
    await notifications.#sendMissed(begunBefore);
    notifications.#following = notifications.#follow();
    return notifications;
  }

  /** Delivers the notifications for everything recorded so far, each within its time limit. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following;
    const { journal } = this.#ports;
    const page = { after: this.#lastId, limit: SEARCH_BACK, skipsDamaged: true };
    for (const event of await journal.readAll(page)) await this.#handle(event);
    await Promise.all(this.#held);
    await Promise.all(this.#deliveries);
  }

  async #follow(): Promise<void> {
    const { journal, onFault } = this.#ports;
    try {
      for await (const event of followEvents(
        journal,
        { after: this.#lastId },
        this.#closing.signal,
      )) {
        await this.#handle(event);
        this.#lastId = event.id;
      }
    } catch (error) {
      if (!this.#closing.signal.aborted) onFault(describeError(error));
    }
  }

  async #handle(event: StoredEvent): Promise<void> {
    const run = runOfStream(event.stream);
    if (run === undefined) return;
    if (this.#sentEarly.delete(factKey(run, event.seq))) return;
    if (event.type === 'run.ended') return this.#sendEnd(run as RunId, event.seq, event.at);
    if (event.type === 'command.noted' && event.payload.note.kind === 'login-expires')
      return this.#send(run as RunId, event.seq, 'login');
    if (event.type !== 'command.begun' || event.payload.command !== 'ask') return;
    await this.#send(run as RunId, event.seq, 'asks');
  }

  /**
   * An earlier owner died during these deliveries. They may have arrived, so they are not sent
   * again.
   */
  async #closeOpen(): Promise<void> {
    const how = 'its owner died meanwhile; whether it was delivered is unknown';
    for (const { run, seq } of [...this.#stored.state.values()])
      await this.#write({ type: 'notification.ended', payload: { run, seq, how } });
  }

  /**
   * Sends notifications for events that an earlier owner had no time to handle, and for events
   * since the start.
   */
  async #sendMissed(begunBefore: ReadonlySet<string>): Promise<void> {
    const { journal, clock } = this.#ports;
    const since = clock.now() - SEARCH_BACK_MS;
    const sendEarly = async (run: RunId, seq: number, about: About, endedAt = 0): Promise<void> => {
      if (begunBefore.has(factKey(run, seq))) return;
      this.#sentEarly.add(factKey(run, seq));
      await (about === 'ended' ? this.#sendEnd(run, seq, endedAt) : this.#send(run, seq, about));
    };
    for (const { id, endedAt, seq } of await journal.runs({ ended: true, limit: RUNS_MAX }))
      if ((endedAt ?? 0) >= since) await sendEarly(id as RunId, seq, 'ended', endedAt ?? 0);
    for (const { id, open } of await journal.runs({ ended: false, limit: RUNS_MAX })) {
      const key = open.find(({ command }) => command === 'ask')?.key;
      if (key === undefined || (await this.#readRequest(id)) === undefined) continue;
      const seq = await this.#readUndamaged(id, () => this.#findStart(id, key));
      if (seq !== undefined) await sendEarly(id as RunId, seq, 'asks');
    }
  }

  async #findStart(run: string, key: string): Promise<number | undefined> {
    for (let after = 0; ; after += SEARCH_BACK) {
      const page = await this.#ports.journal.readStream(runStream(run), {
        after,
        limit: SEARCH_BACK,
      });
      const found = page.find(
        ({ type, payload }) => type === 'command.begun' && payload.key === key,
      );
      if (found !== undefined || page.length < SEARCH_BACK) return found?.seq;
    }
  }

  /** A run that continues another one has the address of that run. No command waits for it. */
  async #readRequest(run: string): Promise<NotifyRequest | undefined> {
    const page = { after: 0, limit: 1 };
    const read = (): Promise<readonly StoredEvent[]> =>
      this.#ports.journal.readStream(runStream(run), page);
    const [first] = (await this.#readUndamaged(run, read)) ?? [];
    if (first?.type === 'run.submitted') return notifyRequest(first.payload);
    if (first?.type !== 'run.forked') return undefined;
    const { concludes: _, ...submission } = first.payload.submission;
    return notifyRequest(submission);
  }

  /** Undefined for a run with a damaged fact. Notifications of other runs are not affected. */
  async #readUndamaged<Value>(
    run: string,
    read: () => Promise<Value | undefined>,
  ): Promise<Value | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!isRefusal(error, 'store.damaged')) throw error;
      this.#ports.log(`run ${run}: ${describeError(error)}`);
      return undefined;
    }
  }

  async #sendEnd(run: RunId, seq: number, endedAt: number): Promise<void> {
    const request = await this.#readRequest(run);
    if (request === undefined) return;
    if (!request.concludes) return this.#send(run, seq, 'ended');
    const held = this.#ports
      .conclusion(run, endedAt, this.#closing.signal)
      .then((conclusion) => this.#send(run, seq, 'ended', conclusion))
      .catch((error: unknown) => this.#ports.log(`run ${run}: ${describeError(error)}`))
      .finally(() => this.#held.delete(held));
    this.#held.add(held);
  }

  async #send(
    run: RunId,
    seq: number,
    about: About,
    conclusion?: RunConclusion | null,
  ): Promise<void> {
    const address = await this.#readRequest(run);
    if (address === undefined) return;
    while (this.#deliveries.size >= DELIVERIES_MAX) await Promise.race(this.#deliveries);
    const create = (): Promise<Notification> => this.#ports.create(run, about, conclusion);
    const delivery = this.#deliver({ run, seq, about }, address, create)
      .catch((error: unknown) => this.#ports.log(`run ${run}: ${describeError(error)}`))
      .finally(() => this.#deliveries.delete(delivery));
    this.#deliveries.add(delivery);
  }

  async #deliver(
    begun: Payload<'notification.begun'>,
    { notify, signs }: NotifyAddress,
    create: () => Promise<Notification>,
  ): Promise<void> {
    const notification = await create();
    await this.#write({ type: 'notification.begun', payload: begun });
    const how = await this.#ports.deliver({ notify, signs }, notification);
    const { run, seq } = begun;
    await this.#write({ type: 'notification.ended', payload: { run, seq, how } });
  }

  #write(event: NewNotificationEvent): Promise<void> {
    return this.#stored.change(() => [event]);
  }
}

function notifyRequest({
  notify,
  signs,
  concludes,
}: Pick<Submission, 'notify' | 'signs' | 'concludes'>): NotifyRequest | undefined {
  if (notify === undefined) return undefined;
  return { notify, signs: signs === true, concludes: concludes === true };
}

function foldOpen(
  open: OpenNotifications,
  { type, payload }: NotificationEvent,
): OpenNotifications {
  const key = factKey(payload.run, payload.seq);
  const next = new Map(open);
  if (type === 'notification.begun') next.set(key, payload);
  else next.delete(key);
  return next;
}

function factKey(run: string, seq: number): string {
  return `${run}/${seq}`;
}
