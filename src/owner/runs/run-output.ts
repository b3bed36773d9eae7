/** What a run's agents printed, attempt by attempt, out of the files that it is kept in. */
import type { AgentSpec } from '../../adapters/adapter.ts';
import { outputName } from '../../attempts/attempt.ts';
import type { AttemptStream } from '../../attempts/attempt.ts';
import { EMPTY_SUPERVISOR_LOG, foldSupervisorLog } from '../../attempts/supervisor-log.ts';
import { BoundedQueue } from '../../base/bounded-queue.ts';
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import { isRecord } from '../../base/json.ts';
import type { Engine } from '../../engine/engine.ts';
import { readOutputIndex } from '../../host/output/output-parts.ts';
import { followOutput, omittedBytes, readOutput } from '../../host/output/read-output.ts';
import type { OutputChunk } from '../../protocol/api.ts';
import type { RunEvent } from '../../protocol/event.ts';

export type OutputSource = {
  readonly dir: string;
  readonly clock: Clock;
  readonly engine: Engine;
  readonly run: RunId;
  /** Only attempts that began after this fact. */
  readonly after: number;
  /** Stay until the run ends. */
  readonly follow: boolean;
  /** Both streams of what was printed, or the recorded model calls. */
  readonly streams: readonly OutputChunk['stream'][];
  /** Whether what the loop says stands between what the agents say. */
  readonly withLog: boolean;
  /** What becomes of an attempt's output on its way. */
  readonly pass: (
    chunks: AsyncIterable<OutputChunk>,
    agent: Pick<AgentSpec, 'cli' | 'output'>,
  ) => AsyncIterable<OutputChunk, void>;
};

const CHUNKS_MAX = 8;
const CHUNK_CHARS = 64 * 1024;
/** Commands whose output is for people to follow. */
const SHOWN = ['setup', 'attempt'];
export const PRINTED: readonly AttemptStream[] = ['stdout', 'stderr'];

/** Under this key stands what the loop says of its own decisions. */
const OWN_KEY = 'supervisor';

export async function* runOutput(
  source: OutputSource,
  signal: AbortSignal,
): AsyncGenerator<OutputChunk, void> {
  const { engine, run, follow, after, pass, withLog } = source;
  let log = EMPTY_SUPERVISOR_LOG;
  const seqNow = (await engine.get(run))?.seq ?? 0;
  if (!follow && after >= seqNow) return;
  for await (const event of engine.follow(run, after, signal)) {
    log = foldSupervisorLog(log, event);
    for (const line of withLog ? log.lines : [])
      yield { key: OWN_KEY, stream: 'stderr', text: `${line}\n` };
    if (event.type === 'command.begun' && isShown(event.payload.command, withLog)) {
      const { key } = event.payload;
      const isOpen = (await engine.get(run))?.open.some((one) => one.key === key) === true;
      const chunks =
        follow && isOpen ? liveOutput(source, key, event.seq, signal) : keptOutput(source, key);
      yield* pass(chunks, agentOf(event));
    }
    if (!follow && event.seq >= seqNow) return;
  }
}

/** Who watches a run is told how a gate went; who reads its logs can read all that it printed. */
function isShown(command: string, withLog: boolean): boolean {
  return SHOWN.includes(command) || (withLog && command === 'gate');
}

function agentOf({
  payload,
}: Extract<RunEvent, { type: 'command.begun' }>): Pick<AgentSpec, 'cli' | 'output'> {
  const { agent } = payload.input;
  return isRecord(agent) ? (agent as AgentSpec) : { cli: '' };
}

/** What is there, at once. An attempt that was lost never closed its files, so they can't be followed. */
async function* keptOutput(
  { dir, streams }: OutputSource,
  key: string,
): AsyncGenerator<OutputChunk, void> {
  for (const stream of streams) {
    const text = await readOutput(dir, outputName(key, stream));
    for (const piece of pieces(text)) yield { key, stream, text: piece };
  }
}

/** In pieces that a reader can take one by one, no character cut in two. */
function* pieces(text: string): Generator<string, void> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + CHUNK_CHARS, text.length);
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
    yield text.slice(start, end);
    start = end;
  }
}

/** Both streams as they come, until the attempt closes them or has ended without having done so. */
async function* liveOutput(
  { dir, clock, engine, run, streams }: OutputSource,
  key: string,
  begunSeq: number,
  signal: AbortSignal,
): AsyncGenerator<OutputChunk, void> {
  const left = new AbortController();
  const either = AbortSignal.any([signal, left.signal]);
  const chunks = new BoundedQueue<OutputChunk>(CHUNKS_MAX);
  const pump = async (stream: OutputChunk['stream']): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of followOutput(dir, outputName(key, stream), {
      clock,
      signal: either,
    })) {
      const text =
        chunk.kind === 'bytes'
          ? decoder.decode(chunk.bytes, { stream: true })
          : `\n${omittedBytes(chunk.byteCount)}\n`;
      if (!(await chunks.push({ key, stream, text }))) return;
    }
  };
  /** An attempt closes its output before it ends. What is open then stays so, and nobody should wait for it. */
  const watch = async (): Promise<void> => {
    for await (const event of engine.follow(run, begunSeq, either)) {
      if (event.type !== 'command.ended' || event.payload.key !== key) continue;
      const names = streams.map((stream) => outputName(key, stream));
      const indexes = await Promise.all(names.map((name) => readOutputIndex(dir, name)));
      if (!indexes.every(({ closed }) => closed)) left.abort();
      return;
    }
  };
  const pumped = Promise.all(streams.map(pump)).finally(() => {
    chunks.close();
    left.abort();
  });
  const done = Promise.all([pumped, watch()]);
  done.catch(() => undefined); // it is awaited below, maybe much later when the reader is slow
  try {
    yield* chunks;
  } finally {
    left.abort();
    chunks.close();
    await done;
  }
}
