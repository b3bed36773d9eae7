/** Reads a run back from the journal: the program's state and the ledger, as of its last fact. */
import type { Json } from '../../base/json.ts';
import type { Payload, RunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';
import type { Ledger } from '../ledger.ts';
import { EMPTY_LEDGER, firstLedger, foldLedger } from '../ledger.ts';
import type { Program } from '../program.ts';

export type LoadedRun = {
  readonly state: Json;
  readonly ledger: Ledger;
  /** The seq of the last fact folded. */
  readonly seq: number;
};

const PAGE = 1000;
/** A chain of a hundred forks is not made on purpose: it is a circle or a defect. */
const FORK_DEPTH_MAX = 100;

export function snapshotMaker(program: Program<Json>): string {
  return `${program.name}@${program.version}`;
}

export function foldEvent(program: Program<Json>, folded: LoadedRun, event: RunEvent): LoadedRun {
  return {
    state: program.fold(folded.state, event),
    ledger: foldLedger(folded.ledger, event),
    seq: event.seq,
  };
}

/** Folds a run's stream up to `upTo`, from the newest snapshot that helps. Undefined: no such run. */
export async function loadRun(
  journal: Journal,
  program: Program<Json>,
  run: string,
  upTo = Number.MAX_SAFE_INTEGER,
  depth = 0,
): Promise<LoadedRun | undefined> {
  if (depth > FORK_DEPTH_MAX) throw new RangeError(`run ${run} is forked too deep`);
  const stream = runStream(run);
  const start =
    (await fromSnapshot(journal, program, stream, upTo)) ??
    (await fromFirstFact(journal, program, stream, depth));
  if (start === undefined) return undefined;

  let folded = start;
  while (folded.seq < upTo) {
    const limit = Math.min(PAGE, upTo - folded.seq);
    const page = await journal.readStream(stream, { after: folded.seq, limit });
    for (const event of page) folded = foldEvent(program, folded, event);
    if (page.length < limit) break;
  }
  return folded;
}

/** The state of a fork at its first fact. The fork of a paused run is not paused, and it holds no slots yet. */
export function forkState(
  program: Program<Json>,
  { state, ledger }: LoadedRun,
  { submission, lastAttempt }: Pick<Payload<'run.forked'>, 'submission' | 'lastAttempt'>,
): LoadedRun {
  const { depth } = firstLedger(submission);
  return {
    state: program.fork?.(state, submission, lastAttempt) ?? state,
    ledger: { ...ledger, paused: false, pausedByParent: false, counted: [], depth },
    seq: 1,
  };
}

async function fromSnapshot(
  journal: Journal,
  program: Program<Json>,
  stream: string,
  upTo: number,
): Promise<LoadedRun | undefined> {
  const snapshot = await journal.loadSnapshot(stream, snapshotMaker(program));
  if (snapshot === undefined || snapshot.seq > upTo) return undefined;
  const { state, ledger } = snapshot.state as Omit<LoadedRun, 'seq'>;
  return { state, ledger: { ...EMPTY_LEDGER, ...ledger }, seq: snapshot.seq };
}

async function fromFirstFact(
  journal: Journal,
  program: Program<Json>,
  stream: string,
  depth: number,
): Promise<LoadedRun | undefined> {
  const [first] = await journal.readStream(stream, { after: 0, limit: 1 });
  if (first?.type === 'run.submitted') {
    return {
      state: program.start(first.payload),
      ledger: firstLedger(first.payload),
      seq: first.seq,
    };
  }
  if (first?.type !== 'run.forked') return undefined;
  const { from, seq } = first.payload;
  const parent = await loadRun(journal, program, from, seq, depth + 1);
  if (parent === undefined)
    throw new Error(`${stream} is forked from ${from}, which does not exist`);
  return forkState(program, parent, first.payload);
}

/** The facts of a run's own stream, oldest first. */
export async function* readRun(journal: Journal, run: string): AsyncGenerator<RunEvent, void> {
  for (let after = 0; ;) {
    const page = await journal.readStream(runStream(run), { after, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    after += page.length;
  }
}
