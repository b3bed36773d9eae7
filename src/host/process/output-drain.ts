/**
 * The output of a command on its way to whoever takes it. After the command has ended, its last bytes may still be in
 * the pipe: on a busy machine, or when they are taken slowly, for longer than any fixed time. So what counts is whether
 * bytes still come. A bound is needed all the same, since another process may hold the pipe open without end.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';

/** Takes bytes. While the promise it returned is pending, that stream is paused. */
export type OutputSink = (chunk: Uint8Array) => Promise<void> | void;

/** So many times the drain time, while bytes still come. */
const DRAINS_MAX = 60;

export class OutputDrain {
  /** Resolves once the streams are closed and all was taken, or once they were destroyed. Rejects if a sink threw. */
  readonly delivered: Promise<unknown>;
  #came = 0;
  #taken = 0;

  constructor(
    streams: readonly (readonly [Readable | null | undefined, OutputSink | undefined])[],
  ) {
    const pumped = streams.map(([stream, sink]) => this.#pump(stream, sink ?? (() => {})));
    this.delivered = Promise.all(pumped);
  }

  /** Waits for all of it, or for so long. */
  async within(clock: Clock, drainMs: number): Promise<'delivered' | 'open'> {
    const over = new AbortController();
    try {
      return await Promise.race([
        this.delivered.then(() => 'delivered' as const),
        clock.sleep(drainMs, over.signal).then(() => 'open' as const),
      ]);
    } finally {
      over.abort();
    }
  }

  /** Waits for all of it, or until no more bytes come. */
  async toTheLast(clock: Clock, drainMs: number): Promise<void> {
    for (let drains = 0; drains < DRAINS_MAX; drains += 1) {
      const came = this.#came;
      await clock.nextTurn(); // what is in the pipe is read in the next turn of the event loop
      if (this.#came === came && this.#taken === came) return;
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
    this.#taken += 1;
    stream.resume();
  }

  #pump(stream: Readable | null | undefined, sink: OutputSink): Promise<void> {
    if (stream === null || stream === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => {
      // One after the other: Node resumes a paused stream by itself when its process has ended.
      let taken = Promise.resolve();
      stream.on('data', (chunk: Uint8Array) => {
        this.#came += 1;
        stream.pause();
        taken = this.#take(taken, sink, chunk, stream);
        taken.catch(reject);
      });
      stream.on('error', () => {}); // a reset says no more than `close` does
      stream.once('close', () => void taken.then(resolve, reject));
    });
  }
}
