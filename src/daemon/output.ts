/** What a run's agents printed, attempt by attempt, out of the files that it is kept in. */
import { outputName } from '../attempts/attempt.ts';
import type { OutputStream } from '../attempts/attempt.ts';
import { BoundedQueue } from '../base/bounded-queue.ts';
import type { Clock } from '../base/clock.ts';
import type { RunId } from '../base/ids.ts';
import type { Engine } from '../engine/engine.ts';
import { followOutput, leftOut, readOutput } from '../host/read-output.ts';
import type { OutputChunk } from '../protocol/api.ts';

export type OutputSource = {
  readonly dir: string;
  readonly clock: Clock;
  readonly engine: Engine;
  readonly run: RunId;
  /** Stay until the run ends. */
  readonly follow: boolean;
};

const CHUNKS_MAX = 8;
const STREAMS: readonly OutputStream[] = ['stdout', 'stderr'];

export async function* runOutput(
  source: OutputSource,
  signal: AbortSignal,
): AsyncGenerator<OutputChunk, void> {
  const { engine, run, follow } = source;
  const seqNow = (await engine.get(run))?.seq ?? 0;
  for await (const event of engine.follow(run, 0, signal)) {
    if (event.type === 'command.begun' && event.payload.command === 'attempt') {
      const { key } = event.payload;
      const isOpen = (await engine.get(run))?.open.some((one) => one.key === key) === true;
      yield* follow && isOpen ? liveOutput(source, key, signal) : keptOutput(source, key);
    }
    if (!follow && event.seq >= seqNow) return;
  }
}

/** What is there, at once. An attempt that was lost never closed its files, so they can't be followed. */
async function* keptOutput({ dir }: OutputSource, key: string): AsyncGenerator<OutputChunk, void> {
  for (const stream of STREAMS) {
    const text = await readOutput(dir, outputName(key, stream));
    if (text !== '') yield { key, stream, text };
  }
}

/** Both streams as they come, until the attempt closes them. */
async function* liveOutput(
  { dir, clock }: OutputSource,
  key: string,
  signal: AbortSignal,
): AsyncGenerator<OutputChunk, void> {
  const left = new AbortController();
  const either = AbortSignal.any([signal, left.signal]);
  const chunks = new BoundedQueue<OutputChunk>(CHUNKS_MAX);
  const pump = async (stream: OutputStream): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of followOutput(dir, outputName(key, stream), {
      clock,
      signal: either,
    })) {
      const text =
        chunk.kind === 'bytes'
          ? decoder.decode(chunk.bytes, { stream: true })
          : `\n${leftOut(chunk.byteCount)}\n`;
      if (!(await chunks.push({ key, stream, text }))) return;
    }
  };
  const pumped = Promise.all(STREAMS.map(pump)).finally(() => chunks.close());
  try {
    yield* chunks;
  } finally {
    left.abort();
    chunks.close();
    await pumped;
  }
}
