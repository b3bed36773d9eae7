/**
 * Tells whoever asked for it that a run has ended, or asks: once, written down before and after, whatever
 * becomes of this owner in between. That somebody can't be told never changes the run.
 */
import type { Clock } from '../../base/clock.ts';
import { describeError, isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { NewNoticeEvent, NoticeEvent, Payload, StoredEvent } from '../../protocol/event.ts';
import { NOTICE_STREAM, runOfStream, runStream } from '../../protocol/event.ts';
import type { Journal } from '../../store/journal.ts';
import { followEvents } from '../../store/follow.ts';
import { Projection } from '../../store/projection.ts';
import type { Notification } from './deliver-notification.ts';

export type NotificationPorts = {
  readonly journal: Journal;
  readonly clock: Clock;
  /** What there is to say of the run. */
  readonly tell: (run: RunId, about: About) => Promise<Notification>;
  /** Resolves with how it went. */
  readonly deliver: (notify: string, notice: Notification) => Promise<string>;
  readonly log: (line: string) => void;
  /** Nobody is told of anything any more: the journal broke, or we did. */
  readonly onFault: (why: string) => void;
};

type About = Payload<'notice.begun'>['about'];

/** How far back an owner looks for what an earlier one could not tell any more. */
const LOOK_BACK = 1000;
const RUNS_MAX = 200;
const LOOK_BACK_MS = 86_400_000;
const AT_ONCE_MAX = 8;

type Notices = {
  /** Notifications that an owner has begun to deliver, the newest ones. */
  readonly begun: Set<string>;
  /** Those of them whose delivery has not ended. */
  readonly open: Map<string, Payload<'notice.begun'>>;
};

export class Notifications {
  readonly #ports: NotificationPorts;
  readonly #over = new AbortController();
  /** Told before they were heard of, and to be heard of yet: no more than there were when this owner began. */
  readonly #ahead = new Set<string>();
  readonly #going = new Set<Promise<void>>();
  readonly #stored: Projection<Notices, typeof NOTICE_STREAM>;
  #following: Promise<void> = Promise.resolve();
  /** The id of the last fact that was looked at. */
  #seen = 0;

  private constructor(ports: NotificationPorts, stored: Projection<Notices, typeof NOTICE_STREAM>) {
    this.#ports = ports;
    this.#stored = stored;
  }

  static async open(ports: NotificationPorts): Promise<Notifications> {
    const seen = await ports.journal.lastId();
    const stored = await Projection.open({
      ...ports,
      stream: NOTICE_STREAM,
      initial: { begun: new Set<string>(), open: new Map() },
      fold: foldNotices,
      snapshots: { kind: 'newest', eventsMax: LOOK_BACK },
    });
    const notices = new Notifications(ports, stored);
    notices.#seen = seen;
    await notices.#closeOpen();
    await notices.#makeUp();
    notices.#following = notices.#follow();
    return notices;
  }

  /** Everything that is written down by now is told before it resolves, each within its time. */
  async close(): Promise<void> {
    this.#over.abort();
    await this.#following;
    const { journal } = this.#ports;
    const page = { after: this.#seen, limit: LOOK_BACK, skipsDamaged: true };
    for (const event of await journal.readAll(page)) await this.#look(event);
    await Promise.all(this.#going);
  }

  async #follow(): Promise<void> {
    const { journal, onFault } = this.#ports;
    try {
      for await (const event of followEvents(journal, { after: this.#seen }, this.#over.signal)) {
        await this.#look(event);
        this.#seen = event.id;
      }
    } catch (error) {
      if (!this.#over.signal.aborted) onFault(describeError(error));
    }
  }

  async #look(event: StoredEvent): Promise<void> {
    const run = runOfStream(event.stream);
    if (run === undefined) return;
    if (this.#ahead.delete(name(run, event.seq))) return;
    if (event.type === 'run.ended') return this.#tell(run as RunId, event.seq, 'ended');
    if (event.type !== 'command.begun' || event.payload.command !== 'ask') return;
    await this.#tell(run as RunId, event.seq, 'asks');
  }

  /** An earlier owner died while it delivered these. They may have arrived, so they are not sent again. */
  async #closeOpen(): Promise<void> {
    const how = 'its owner died meanwhile; whether it was told is unknown';
    for (const { run, seq } of [...this.#stored.state.open.values()])
      await this.#write({ type: 'notice.ended', payload: { run, seq, how } });
  }

  /** What happened when an owner had no more time to begin, and whatever has happened since we look. */
  async #makeUp(): Promise<void> {
    const { journal, clock } = this.#ports;
    const { begun } = this.#stored.state;
    const since = clock.now() - LOOK_BACK_MS;
    const tellAhead = async (run: RunId, seq: number, about: About): Promise<void> => {
      if (begun.has(name(run, seq))) return;
      this.#ahead.add(name(run, seq));
      await this.#tell(run, seq, about);
    };
    for (const { id, endedAt, seq } of await journal.runs({ ended: true, limit: RUNS_MAX }))
      if ((endedAt ?? 0) >= since) await tellAhead(id as RunId, seq, 'ended');
    for (const { id, open } of await journal.runs({ ended: false, limit: RUNS_MAX })) {
      const key = open.find(({ command }) => command === 'ask')?.key;
      if (key === undefined || (await this.#notifyOf(id)) === undefined) continue;
      const seq = await this.#ifSound(id, () => this.#begunAt(id, key));
      if (seq !== undefined) await tellAhead(id as RunId, seq, 'asks');
    }
  }

  async #begunAt(run: string, key: string): Promise<number | undefined> {
    for (let after = 0; ; after += LOOK_BACK) {
      const page = await this.#ports.journal.readStream(runStream(run), {
        after,
        limit: LOOK_BACK,
      });
      const found = page.find(
        ({ type, payload }) => type === 'command.begun' && payload.key === key,
      );
      if (found !== undefined || page.length < LOOK_BACK) return found?.seq;
    }
  }

  async #notifyOf(run: string): Promise<string | undefined> {
    const page = { after: 0, limit: 1 };
    const read = (): Promise<readonly StoredEvent[]> =>
      this.#ports.journal.readStream(runStream(run), page);
    const [first] = (await this.#ifSound(run, read)) ?? [];
    if (first?.type === 'run.submitted') return first.payload.notify;
    return first?.type === 'run.forked' ? first.payload.submission.notify : undefined;
  }

  /** Undefined for a run with a damaged fact: the others are told of theirs. */
  async #ifSound<Value>(
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

  async #tell(run: RunId, seq: number, about: About): Promise<void> {
    const notify = await this.#notifyOf(run);
    if (notify === undefined) return;
    while (this.#going.size >= AT_ONCE_MAX) await Promise.race(this.#going);
    const going = this.#carryOut(run, seq, about, notify)
      .catch((error: unknown) => this.#ports.log(`run ${run}: ${describeError(error)}`))
      .finally(() => this.#going.delete(going));
    this.#going.add(going);
  }

  async #carryOut(run: RunId, seq: number, about: About, notify: string): Promise<void> {
    const { tell, deliver } = this.#ports;
    const notice = await tell(run, about);
    await this.#write({ type: 'notice.begun', payload: { run, seq, about } });
    const how = await deliver(notify, notice);
    await this.#write({ type: 'notice.ended', payload: { run, seq, how } });
  }

  #write(event: NewNoticeEvent): Promise<void> {
    return this.#stored.change(() => [event]);
  }
}

function foldNotices({ begun, open }: Notices, { type, payload }: NoticeEvent): Notices {
  if (type === 'notice.begun') {
    open.set(name(payload.run, payload.seq), payload);
    begun.add(name(payload.run, payload.seq));
    const [oldest] = begun;
    if (begun.size > LOOK_BACK && oldest !== undefined) begun.delete(oldest);
  }
  if (type === 'notice.ended') open.delete(name(payload.run, payload.seq));
  return { begun, open };
}

function name(run: string, seq: number): string {
  return `${run}/${seq}`;
}
