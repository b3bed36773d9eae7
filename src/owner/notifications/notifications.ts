/**
 * Sends notifications when a run has ended or asks, or its login is about to expire. Each is delivered once and recorded before and
 * after, even if this owner dies in between. A failed delivery never changes the run.
 */
import type { Clock } from '../../base/clock.ts';
import { describeError, isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { CHILD_DEPTH_MAX } from '../../protocol/child-run.ts';
import type {
  NewNotificationEvent,
  NotificationEvent,
  Payload,
  StoredEvent,
} from '../../protocol/event.ts';
import { NOTIFICATION_STREAM, runOfStream, runStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';
import { followEvents } from '../../store/follow.ts';
import { Projection } from '../../store/projection.ts';
import type { RunConclusion } from '../../public-json/run-result.ts';
import type { Notification } from './deliver-notification.ts';
import { missedSince } from './missed-since.ts';
import type { News, NewsSource, NotificationTarget, Notifier } from './notification-targets.ts';
import { aboutOf, nameOf, newsOf, newsSource, targetsOf } from './notification-targets.ts';

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
  /** The notifiers in the user's settings, as they are now. */
  readonly notifiers: () => Promise<readonly Notifier[]>;
  /** Resolves with the result as text. */
  readonly deliver: (target: NotificationTarget, notification: Notification) => Promise<string>;
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
  /** Notifications that began before this owner. They are not sent again. */
  readonly #begunBefore: ReadonlySet<string>;

  private constructor(
    ports: NotificationPorts,
    stored: Projection<OpenNotifications, typeof NOTIFICATION_STREAM>,
    begunBefore: ReadonlySet<string>,
  ) {
    this.#ports = ports;
    this.#stored = stored;
    this.#begunBefore = begunBefore;
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
        if (isOpening && event.type === 'notification.begun')
          begunBefore.add(deliveryKey(event.payload));
        return foldOpen(open, event);
      },
      snapshots: { kind: 'newest', eventsMax: SEARCH_BACK },
    });
    isOpening = false;
    const notifications = new Notifications(ports, stored, begunBefore);
    notifications.#lastId = seen;
    await notifications.#closeOpen();
    await notifications.#sendMissed();
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
    const news = newsOf(run as RunId, event);
    if (news !== undefined) await this.#tell(news);
  }

  /**
   * An earlier owner died during these deliveries. They may have arrived, so they are not sent
   * again.
   */
  async #closeOpen(): Promise<void> {
    const how = 'its owner died meanwhile; whether it was delivered is unknown';
    for (const { about: _, ...begun } of [...this.#stored.state.values()])
      await this.#write({ type: 'notification.ended', payload: { ...begun, how } });
  }

  /**
   * Sends notifications for events that an earlier owner had no time to handle, and for events
   * since the start.
   */
  async #sendMissed(): Promise<void> {
    const { journal, clock } = this.#ports;
    const since = clock.now() - SEARCH_BACK_MS;
    const notifiersSince = await missedSince(journal, clock.now());
    for (const { id, endedAt, seq } of await journal.runs({ ended: true, limit: RUNS_MAX })) {
      const at = endedAt ?? 0;
      if (at < since) continue;
      await this.#tellEarly({ run: id as RunId, seq, at, event: 'ended' }, notifiersSince);
    }
    for (const { id, open } of await journal.runs({ ended: false, limit: RUNS_MAX })) {
      const key = open.find(({ command }) => command === 'ask')?.key;
      if (key === undefined || (await this.#readSource(id)) === undefined) continue;
      const start = await this.#readUndamaged(id, () => this.#findStart(id, key));
      const news = start === undefined ? undefined : newsOf(id as RunId, start);
      if (news !== undefined) await this.#tellEarly(news, notifiersSince);
    }
  }

  async #tellEarly(news: News, notifiersSince: number): Promise<void> {
    this.#sentEarly.add(factKey(news.run, news.seq));
    await this.#tell(news, notifiersSince);
  }

  async #findStart(run: string, key: string): Promise<StoredEvent | undefined> {
    for (let after = 0; ; after += SEARCH_BACK) {
      const page = await this.#ports.journal.readStream(runStream(run), {
        after,
        limit: SEARCH_BACK,
      });
      const found = page.find(
        ({ type, payload }) => type === 'command.begun' && payload.key === key,
      );
      if (found !== undefined || page.length < SEARCH_BACK) return found;
    }
  }

  /** A run that continues another one has the address of that run. No command waits for it. */
  async #readSource(run: string): Promise<NewsSource | undefined> {
    const page = { after: 0, limit: 1 };
    const read = (): Promise<readonly StoredEvent[]> =>
      this.#ports.journal.readStream(runStream(run), page);
    const [first] = (await this.#readUndamaged(run, read)) ?? [];
    if (first?.type === 'run.submitted') return newsSource(first.payload);
    if (first?.type !== 'run.forked') return undefined;
    const { concludes: _, ...submission } = first.payload.submission;
    return newsSource(submission);
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

  /** `since`: notifiers get no older news. */
  async #tell(news: News, since = 0): Promise<void> {
    const { run, at, event } = news;
    const source = await this.#readSource(run);
    if (source === undefined) return;
    const notifiers = at < since ? [] : await this.#readNotifiers();
    const address = event === 'ended' ? source.address : await this.#addressAbove(source);
    const targets = targetsOf({ ...source, address }, event, notifiers).filter(
      (target) => !this.#begunBefore.has(deliveryKey({ ...news, ...nameOf(target) })),
    );
    if (targets.length === 0) return;
    if (event !== 'ended' || !source.concludes) return this.#send(news, targets);
    const held = this.#ports
      .conclusion(run, at, this.#closing.signal)
      .then((conclusion) => this.#send(news, targets, conclusion))
      .catch((error: unknown) => this.#ports.log(`run ${run}: ${describeError(error)}`))
      .finally(() => this.#held.delete(held));
    this.#held.add(held);
  }

  /** The address of the run, or of the run above it that has one: a person named it for the run that they started. */
  async #addressAbove(source: NewsSource): Promise<NewsSource['address']> {
    let above: NewsSource | undefined = source;
    for (let level = 0; level <= CHILD_DEPTH_MAX && above !== undefined; level += 1) {
      const { address, parent }: NewsSource = above;
      if (address !== undefined || parent === null) return address;
      above = await this.#readSource(parent);
    }
    return undefined;
  }

  /** Settings that cannot be read send nothing. The address of a run still gets its notifications. */
  async #readNotifiers(): Promise<readonly Notifier[]> {
    try {
      return await this.#ports.notifiers();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#ports.log(`no notifier is told: ${error.message}`);
      return [];
    }
  }

  async #send(
    news: News,
    targets: readonly NotificationTarget[],
    conclusion?: RunConclusion | null,
  ): Promise<void> {
    const { run, seq } = news;
    const about = aboutOf(news.event);
    let made: Promise<Notification> | undefined;
    const create = (): Promise<Notification> =>
      (made ??= this.#ports.create(run, about, conclusion));
    for (const target of targets) {
      while (this.#deliveries.size >= DELIVERIES_MAX) await Promise.race(this.#deliveries);
      const begun = { run, seq, about, ...nameOf(target) };
      const delivery = this.#deliver(begun, target, create)
        .catch((error: unknown) => this.#ports.log(`run ${run}: ${describeError(error)}`))
        .finally(() => this.#deliveries.delete(delivery));
      this.#deliveries.add(delivery);
    }
  }

  async #deliver(
    begun: Payload<'notification.begun'>,
    target: NotificationTarget,
    create: () => Promise<Notification>,
  ): Promise<void> {
    const notification = await create();
    await this.#write({ type: 'notification.begun', payload: begun });
    const how = await this.#ports.deliver(target, notification);
    if (how !== 'delivered')
      this.#ports.log(`run ${begun.run}: notification${forName(begun.to)}: ${how}`);
    const { about: _, ...fact } = begun;
    await this.#write({ type: 'notification.ended', payload: { ...fact, how } });
  }

  #write(event: NewNotificationEvent): Promise<void> {
    return this.#stored.change(() => [event]);
  }
}

function foldOpen(
  open: OpenNotifications,
  { type, payload }: NotificationEvent,
): OpenNotifications {
  const key = deliveryKey(payload);
  const next = new Map(open);
  if (type === 'notification.begun') next.set(key, payload);
  else next.delete(key);
  return next;
}

function factKey(run: string, seq: number): string {
  return `${run}/${seq}`;
}

/** One fact may go to several receivers. */
function deliveryKey({
  run,
  seq,
  to,
}: Pick<Payload<'notification.begun'>, 'run' | 'seq' | 'to'>): string {
  return to === undefined ? factKey(run, seq) : `${factKey(run, seq)}/${to}`;
}

function forName(to: string | undefined): string {
  return to === undefined ? '' : ` to ${to}`;
}
