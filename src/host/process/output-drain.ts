/**
 * The output of a command on its way to its sink. After the command has ended, its last bytes may still be in the
 * pipe: on a busy machine or with a slow sink, for longer than any fixed time. So what counts is whether bytes still
 * arrive. A bound is needed nevertheless, because another process may hold the pipe open for ever.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';

/** Takes bytes. While the returned promise is pending, the stream is paused. */
export type OutputSink = (chunk: Uint8Array) => Promise<void> | void;

/** How many drain periods to wait while bytes still arrive. */
const DRAINS_MAX = 60;

export class OutputDrain {
  /**
   * Resolves once the streams are closed and everything was taken, or once they were destroyed. Rejects if a sink
   * threw.
   */
  readonly delivered: Promise<unknown>;
  #receivedChunks = 0;
  #deliveredChunks = 0;

  constructor(
    streams: readonly (readonly [Readable | null | undefined, OutputSink | undefined])[],
  ) {
    const pumped = streams.map(([stream, sink]) => this.#pump(stream, sink ?? (() => {})));
    this.delivered = Promise.all(pumped);
  }

  /** Waits for everything, or for this long. */
  async within(clock: Clock, drainMs: number): Promise<'delivered' | 'open'> {
    const done = new AbortController();
    try {
      return await Promise.race([
        this.delivered.then(() => 'delivered' as const),
        clock.sleep(drainMs, done.signal).then(() => 'open' as const),
      ]);
    } finally {
      done.abort();
    }
  }

  /** Waits for everything, or until no more bytes arrive. */
  async untilIdle(clock: Clock, drainMs: number): Promise<void> {
    for (let drains = 0; drains < DRAINS_MAX; drains += 1) {
      const received = this.#receivedChunks;
      await clock.nextTurn(); // bytes in the pipe are read in the next turn of the event loop
      if (this.#receivedChunks === received && this.#deliveredChunks === received) return;
      if ((await this.within(clock, drainMs)) === 'delivered') return;
    }
  }

  async #take(
    before: Promise<void>,
    sink: OutputSink,
    chunk: Uint8Array,
    stream: Readable,
  ): Promise<void> {
    await before;
    await sink(chunk);
    this.#deliveredChunks += 1;
    stream.resume();
  }

  #pump(stream: Readable | null | undefined, sink: OutputSink): Promise<void> {
    if (stream === null || stream === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => {
      // One chunk after the other, because Node resumes a paused stream by itself when its process has ended.
      let taken = Promise.resolve();
      stream.on('data', (chunk: Uint8Array) => {
        this.#receivedChunks += 1;
        stream.pause();
        taken = this.#take(taken, sink, chunk, stream);
        taken.catch(reject);
      });
      stream.on('error', () => {}); // a reset means the same as `close`
      stream.once('close', () => void taken.then(resolve, reject));
    });
  }
}
