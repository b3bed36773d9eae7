import type { EventIn } from '../protocol/event.ts';
import type { Journal } from './journal.ts';

const PAGE = 256;

export type FollowFrom<Name extends string> = {
  /** Only what comes after this: a seq when one stream is followed, else an id. */
  readonly after: number;
  readonly stream?: Name;
};

/**
 * What is there, then each new fact as it is committed, in order, none missed and none twice, until
 * `signal` aborts. It holds one page: a slow follower reads on from the journal, never from a queue.
 */
export async function* followEvents<Name extends string = string>(
  journal: Journal,
  from: FollowFrom<Name>,
  signal: AbortSignal,
): AsyncGenerator<EventIn<Name>, void, undefined> {
  const { stream } = from;
  let { after } = from;
  const bell = new Bell();
  const ring = (): void => bell.ring();
  const unsubscribe = journal.onCommit(ring);
  signal.addEventListener('abort', ring);
  try {
    while (!signal.aborted) {
      bell.hush(); // before the read: a commit during it makes us look again
      const page = { after, limit: PAGE };
      // Without a name, `Name` is any stream, and so is `EventIn<Name>`.
      const events = await (stream === undefined
        ? (journal.readAll(page) as Promise<readonly EventIn<Name>[]>)
        : journal.readStream(stream, page));
      for (const event of events) {
        if (isAborted(signal)) return;
        yield event;
        after = stream === undefined ? event.id : event.seq;
      }
      if (events.length < PAGE) await bell.rung();
    }
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', ring);
  }
}

/** A call, since the answer changes while the consumer is at work. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Remembers that it was rung, not how often: the journal knows what is new. */
class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  hush(): void {
    this.#rung = false;
  }

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  async rung(): Promise<void> {
    if (!this.#rung) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}
