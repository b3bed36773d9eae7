/** What whoever watches a run is told: its facts, and what its agents print. */
import { adapterFor } from '../agents/adapters.ts';
import type { Clock } from '../base/clock.ts';
import type { RunId } from '../base/ids.ts';
import type { Engine } from '../engine/engine.ts';
import type { OutputChunk, OutputWish } from '../protocol/api.ts';
import type { StoredEvent } from '../protocol/event.ts';
import { runStream } from '../protocol/event.ts';
import type { Journal } from '../store/journal.ts';
import type { Defects } from './defects.ts';
import type { OutputSource } from './output.ts';
import { PRINTED, runOutput } from './output.ts';
import { inWords } from './words.ts';

const HISTORY_PAGE = 1000;

export type WatchedRun = {
  readonly run: RunId;
  readonly engine: Engine;
  readonly journal: Journal;
  readonly defects: Defects;
  /** Aborts when the owner begins to close. */
  readonly closing: AbortSignal;
};

/** Until the run ends. One that can't go on because of a fault of ours throws that, since it has no end. */
export async function* factsOf(
  { run, engine, journal, defects, closing }: WatchedRun,
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
    if (stuck.aborted) throw stuck.reason;
  } finally {
    forget();
  }
  // Whoever closes the owner may do so because this run has ended, which should still be heard.
  const page = { after: seen, limit: HISTORY_PAGE };
  if (closing.aborted) yield* await journal.readStream(runStream(run), page);
}

export function outputOf(
  kept: {
    readonly run: RunId;
    readonly dir: string;
    readonly engine: Engine;
    readonly clock: Clock;
  },
  { follow, after, words, calls }: OutputWish,
  signal: AbortSignal,
): AsyncGenerator<OutputChunk, void> {
  const pass: OutputSource['pass'] = (chunks, agent) =>
    words && !calls ? inWords(chunks, adapterFor(agent)) : chunks;
  const streams = calls ? (['calls'] as const) : PRINTED;
  const withLog = !words && !calls;
  return runOutput({ ...kept, follow, after, streams, pass, withLog }, signal);
}
