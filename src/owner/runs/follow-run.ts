/** What whoever watches a run is told: its facts, and what its agents print. */
import { adapterFor } from '../../adapters/adapters.ts';
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { Engine } from '../../engine/engine.ts';
import type { OutputChunk, OutputRequest } from '../../protocol/api.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/event.ts';
import type { Journal } from '../../store/journal.ts';
import type { Defects } from '../defects.ts';
import type { OutputSource } from './run-output.ts';
import { PRINTED, runOutput } from './run-output.ts';
import { asText } from './agent-text.ts';

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
export async function* followFacts(
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
    if (stuck.aborted) {
      const damage = journal.damages().find(({ stream }) => stream === runStream(run));
      throw damage?.refusal ?? stuck.reason; // a damaged file is no fault of ours
    }
  } finally {
    forget();
  }
  // Whoever closes the owner may do so because this run has ended, which should still be heard.
  const page = { after: seen, limit: HISTORY_PAGE };
  if (closing.aborted) yield* await journal.readStream(runStream(run), page);
}

export function followOutputOf(
  kept: {
    readonly run: RunId;
    readonly dir: string;
    readonly engine: Engine;
    readonly clock: Clock;
  },
  { follow, after, words, calls }: OutputRequest,
  signal: AbortSignal,
): AsyncGenerator<OutputChunk, void> {
  const pass: OutputSource['pass'] = (chunks, agent) =>
    words && !calls ? asText(chunks, adapterFor(agent)) : chunks;
  const streams = calls ? (['calls'] as const) : PRINTED;
  const withLog = !words && !calls;
  return runOutput({ ...kept, follow, after, streams, pass, withLog }, signal);
}
