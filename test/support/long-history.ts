/** Writes a run with a very long history straight into a journal. */
import { at } from '../../src/base/clock.ts';
import { PINNED_DEFAULTS } from './pinned-defaults.ts';
import type { NewRunEvent } from '../../src/protocol/event.ts';
import type { AttemptsSubmission } from '../../src/protocol/run-submission.ts';
import { runStream } from '../../src/protocol/streams.ts';
import { ATTEMPTS_PROGRAM } from '../../src/protocol/run-submission.ts';
import type { Journal } from '../../src/store/journal.ts';
import { attemptsProgram } from '../../src/attempts/attempts-program.ts';
import type { LoadedRun } from '../../src/engine/embedded/load-run.ts';
import { foldEvent, snapshotMaker } from '../../src/engine/embedded/load-run.ts';
import { EMPTY_LEDGER } from '../../src/engine/ledger.ts';
import { runEvent } from './run-event.ts';

export type LongHistory = {
  readonly events: number;
  /** How many facts follow the last snapshot. */
  readonly afterSnapshot: number;
};

/**
 * Interrupted attempts, one after the other; the last one is still open. Returns the state that
 * they fold to.
 */
export async function writeLongHistory(
  journal: Journal,
  run: string,
  { events, afterSnapshot }: LongHistory,
): Promise<LoadedRun> {
  const stream = runStream(run);
  const settings = {
    ...PINNED_DEFAULTS,
    recovery: { ...PINNED_DEFAULTS.recovery, attemptsMax: 1e9 },
    agent: { id: 'a', cli: 'scripted' },
    interruptionsMax: 1e9,
    graceMs: 1,
  };
  const submission = {
    ...{ program: ATTEMPTS_PROGRAM, task: 'long', project: '/p', settings },
  } as unknown as AttemptsSubmission;
  await journal.append(
    stream,
    0,
    [runEvent({ type: 'run.submitted', payload: submission })],
    at(0),
  );
  let folded: LoadedRun = {
    state: attemptsProgram.start(submission),
    ledger: EMPTY_LEDGER,
    seq: 1,
  };
  const seqOfSnapshot = events - afterSnapshot;
  while (folded.seq < events) {
    const goal = folded.seq < seqOfSnapshot ? seqOfSnapshot : events;
    const length = Math.min(1000, goal - folded.seq);
    const first = folded.seq + 1;
    const facts = Array.from({ length }, (_, index) => fact(first + index));
    const stored = await journal.append(stream, folded.seq, facts, at(first));
    for (const event of stored) folded = foldEvent(attemptsProgram, folded, event);
    if (folded.seq !== seqOfSnapshot) continue;
    const { seq, ...state } = folded;
    const maker = snapshotMaker(attemptsProgram);
    await journal.saveSnapshot(stream, { maker, seq, state: JSON.parse(JSON.stringify(state)) });
  }
  return folded;
}

/** Seq 2 begins the first attempt, seq 3 records its interruption, seq 4 begins the second … */
function fact(seq: number): NewRunEvent {
  const key = `attempt-${Math.floor(seq / 2)}`;
  if (seq % 2 === 1)
    return runEvent({ type: 'command.ended', payload: { key, end: { kind: 'interrupted' } } });
  return runEvent({
    type: 'command.begun',
    payload: { key, command: 'attempt', input: {}, limits: [] },
  });
}
