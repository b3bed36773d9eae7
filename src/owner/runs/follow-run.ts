/** Streams a run to clients: its facts, and the output of its agents. */
import { adapterFor } from '../../adapters/adapters.ts';
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { Engine } from '../../engine/engine.ts';
import type { OutputChunk, OutputRequest } from '../../protocol/api.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';
import type { Defects } from '../defects.ts';
import type { OutputSource } from './run-output.ts';
import { PRINTED, runOutput } from './run-output.ts';
import { asText } from './agent-text.ts';

const HISTORY_PAGE = 1000;

export type FollowedRun = {
  readonly run: RunId;
  readonly engine: Engine;
  readonly journal: Journal;
  readonly defects: Defects;
  /** Aborts when the owner begins to close. */
  readonly closing: AbortSignal;
};

/**
 * Yields facts until the run ends. If the run cannot continue because of a defect, throws the
 * defect, because the run has no end.
 */
export async function* followFacts(
  { run, engine, journal, defects, closing }: FollowedRun,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent, void> {
  const { stuck, forget } = defects.watch(run);
  let seen = after;
  try {
    for await (const event of engine.follow(run, after, AbortSignal.any([signal, stuck]))) {
      yield event;
      seen = event.seq;
    }
    if (stuck.aborted) {
      const damage = journal.damages().find(({ stream }) => stream === runStream(run));
      throw damage?.refusal ?? stuck.reason; // a damaged file is a refusal and not a defect
    }
  } finally {
    forget();
  }
  // The owner may close because this run has ended. Its last facts should still reach the client.
  const page = { after: seen, limit: HISTORY_PAGE };
  if (closing.aborted) yield* await journal.readStream(runStream(run), page);
}

export function followOutputOf(
  source: {
    readonly run: RunId;
    readonly dir: string;
    readonly engine: Engine;
    readonly clock: Clock;
  },
  { follow, after, words, whole, calls }: OutputRequest,
  signal: AbortSignal,
): AsyncGenerator<OutputChunk, void> {
  const transform: OutputSource['transform'] = (chunks, agent) =>
    words && !calls ? asText(chunks, adapterFor(agent), whole) : chunks;
  const streams = calls ? (['calls'] as const) : PRINTED;
  const withLog = (!words || whole) && !calls;
  return runOutput({ ...source, follow, after, streams, transform, withLog }, signal);
}
