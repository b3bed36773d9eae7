/** Reads the stored output of a run's agents, attempt by attempt. */
import { outputName } from '../../attempts/output-name.ts';
import type { AttemptStream } from '../../attempts/output-name.ts';
import { EMPTY_SUPERVISOR_LOG, foldSupervisorLog } from '../../attempts/supervisor-log.ts';
import { BoundedQueue } from '../../base/bounded-queue.ts';
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { Engine } from '../../engine/engine.ts';
import { readOutputIndex } from '../../host/output/output-parts.ts';
import { followOutput, omittedBytes, readOutput } from '../../host/output/read-output.ts';
import type { OutputChunk } from '../../protocol/api.ts';
import type { CommandBegun } from '../../protocol/commands.ts';
import { describeOutput } from '../../protocol/words/output-title.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';

export type OutputSource = {
  readonly dir: string;
  readonly clock: Clock;
  readonly engine: Engine;
  readonly run: RunId;
  /** Only attempts that started after this fact. */
  readonly after: number;
  /** Continue until the run ends. */
  readonly follow: boolean;
  /** The printed streams, or the recorded model calls. */
  readonly streams: readonly OutputChunk['stream'][];
  /** Whether lines of Supervisor's own log appear between the output of the agents. */
  readonly withLog: boolean;
  /** Transforms the output of an attempt. */
  readonly transform: (
    chunks: AsyncIterable<OutputChunk>,
    agent: Pick<AgentSpec, 'cli' | 'output'>,
  ) => AsyncIterable<OutputChunk, void>;
};

const CHUNKS_MAX = 8;
const CHUNK_CHARS = 64 * 1024;
/** Commands whose output a person follows. */
const SHOWN = ['setup', 'attempt'];
export const PRINTED: readonly AttemptStream[] = ['stdout', 'stderr'];

/** The key of the lines of Supervisor's own log. */
const LOG_KEY = 'supervisor';

export async function* runOutput(
  source: OutputSource,
  signal: AbortSignal,
): AsyncGenerator<OutputChunk, void> {
  const { engine, run, follow, after, transform, withLog } = source;
  let log = EMPTY_SUPERVISOR_LOG;
  const seqNow = (await engine.get(run))?.seq ?? 0;
  if (!follow && after >= seqNow) return;
  for await (const event of engine.follow(run, after, signal)) {
    log = foldSupervisorLog(log, event);
    for (const line of withLog ? log.lines : [])
      yield { key: LOG_KEY, stream: 'stderr', text: `${line}\n` };
    if (event.type === 'command.begun' && isShown(event.payload.command, withLog)) {
      const { key } = event.payload;
      const isOpen = (await engine.get(run))?.open.some((one) => one.key === key) === true;
      const chunks =
        follow && isOpen ? liveOutput(source, key, event.seq, signal) : storedOutput(source, key);
      const title = describeOutput(event.payload);
      for await (const chunk of transform(chunks, readAgent(event.payload)))
        yield title === undefined ? chunk : { ...chunk, title };
    }
    if (!follow && event.seq >= seqNow) return;
  }
}

/**
 * A client that follows a run sees the result of a gate. The logs also contain everything that the
 * gate printed.
 */
function isShown(command: string, withLog: boolean): boolean {
  return SHOWN.includes(command) || (withLog && (command === 'gate' || command === 'baseline'));
}

function readAgent({ command, input }: CommandBegun): Pick<AgentSpec, 'cli' | 'output'> {
  return command === 'attempt' ? input.agent : { cli: '' };
}

/**
 * Yields what is stored. An interrupted attempt never closed its files, so they cannot be followed.
 */
async function* storedOutput(
  { dir, streams }: OutputSource,
  key: string,
): AsyncGenerator<OutputChunk, void> {
  for (const stream of streams) {
    const text = await readOutput(dir, outputName(key, stream));
    for (const piece of pieces(text)) yield { key, stream, text: piece };
  }
}

/** Splits a text into chunks without splitting a character. */
function* pieces(text: string): Generator<string, void> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + CHUNK_CHARS, text.length);
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
    yield text.slice(start, end);
    start = end;
  }
}

/** Yields both streams as they grow, until the attempt closes them or ends without closing them. */
async function* liveOutput(
  { dir, clock, engine, run, streams }: OutputSource,
  key: string,
  begunSeq: number,
  signal: AbortSignal,
): AsyncGenerator<OutputChunk, void> {
  const stop = new AbortController();
  const anyStop = AbortSignal.any([signal, stop.signal]);
  const chunks = new BoundedQueue<OutputChunk>(CHUNKS_MAX);
  const pump = async (stream: OutputChunk['stream']): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of followOutput(dir, outputName(key, stream), {
      clock,
      signal: anyStop,
    })) {
      const text =
        chunk.kind === 'bytes'
          ? decoder.decode(chunk.bytes, { stream: true })
          : `\n${omittedBytes(chunk.byteCount)}\n`;
      if (!(await chunks.push({ key, stream, text }))) return;
    }
  };
  /**
   * An attempt closes its output before it ends. If a file is still open then, it stays open, so
   * the reader must not wait for it.
   */
  const stopAtEnd = async (): Promise<void> => {
    for await (const event of engine.follow(run, begunSeq, anyStop)) {
      if (event.type !== 'command.ended' || event.payload.key !== key) continue;
      const names = streams.map((stream) => outputName(key, stream));
      const indexes = await Promise.all(names.map((name) => readOutputIndex(dir, name)));
      if (!indexes.every(({ closed }) => closed)) stop.abort();
      return;
    }
  };
  const pumped = Promise.all(streams.map(pump)).finally(() => {
    chunks.close();
    stop.abort();
  });
  const done = Promise.all([pumped, stopAtEnd()]);
  done.catch(() => undefined); // awaited below, possibly much later if the reader is slow
  try {
    yield* chunks;
  } finally {
    stop.abort();
    chunks.close();
    await done;
  }
}
