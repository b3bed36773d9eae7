import type { EventIn } from '../protocol/streams.ts';
import type { Journal } from './journal.ts';

const PAGE = 256;

export type FollowFrom<Name extends string> = {
  /** Only facts after this position: a seq if one stream is followed, otherwise an id. */
  readonly after: number;
  readonly stream?: Name;
};

/**
 * Yields the existing facts, then each new fact as it is committed: in order, none missed and none twice, until
 * `signal` aborts. It holds one page in memory. A slow follower continues reading from the journal, never from a
 * queue.
 */
export async function* followEvents<Name extends string = string>(
  journal: Pick<Journal, 'readAll' | 'readStream' | 'onCommit'>,
  from: FollowFrom<Name>,
  signal: AbortSignal,
): AsyncGenerator<EventIn<Name>, void, undefined> {
  const { stream } = from;
  let { after } = from;
  const wakeUp = new WakeUp();
  const wake = (): void => wakeUp.signal();
  const unsubscribe = journal.onCommit(wake);
  signal.addEventListener('abort', wake);
  try {
    while (!signal.aborted) {
      wakeUp.reset(); // before the read, so that a commit during it causes another read
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
      if (events.length < PAGE) await wakeUp.signalled();
    }
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', wake);
  }
}

/** A function, because the value changes while the consumer runs, and the compiler would assume that it does not. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Remembers that it was signalled, not how often: the journal knows what is new. */
class WakeUp {
  #isSignalled = false;
  #wake: (() => void) | undefined;

  reset(): void {
    this.#isSignalled = false;
  }

  signal(): void {
    this.#isSignalled = true;
    this.#wake?.();
  }

  async signalled(): Promise<void> {
    if (!this.#isSignalled) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}
