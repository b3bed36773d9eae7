/** The stream of a dashboard: all runs at first, then each change, and the facts and the output of the run that is open. */
import type { Clock } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import type { RunId } from '../../base/ids.ts';
import { truncate } from '../../base/text.ts';
import type { Owner } from '../../owner/owner.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import { CHILD_DEPTH_MAX } from '../../protocol/child-run.ts';
import { runOfStream, runStream } from '../../protocol/streams.ts';
import type {
  BoardAccount,
  BoardItem,
  BoardRequest,
  BoardRow,
  BoardSchedule,
} from '../../protocol/views/board.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { ScheduleView } from '../../protocol/views/schedule-view.ts';
import type { StatusRow } from '../../protocol/views/status-row.ts';
import type { TimelineBar } from '../../protocol/views/timeline.ts';
import { foldTimeline } from '../../protocol/views/timeline.ts';
import { mergeStreams } from './merge-streams.ts';
import { newestOutput } from './newest-output.ts';

export type BoardSource = Pick<
  Owner,
  | 'journal'
  | 'engine'
  | 'listing'
  | 'questions'
  | 'output'
  | 'cooldowns'
  | 'schedules'
  | 'followTree'
>;

/** Newest first. Older runs are found with `status --all`. */
const ENDED_MAX = 5000;
/** The first of them are drawn at once, the owner keeps no more in memory, and no page parses all of them in one go. */
const ROWS_AT_ONCE = 50;
const ACTIVE_MAX = 5000;
/** A page that was away for longer gets everything again. */
const REPLAY_MAX = 5000;
const PAGE = 250;
/** What happens within this time arrives as one item. */
const GATHER_MS = 40;
const BARS_MAX = 24;
const TASK_CHARS_MAX = 400;
/** The runs that are read to know the accounts. */
const ACCOUNT_RUNS_MAX = 200;
const ACCOUNT_PAGE = 20;

export async function* followBoard(
  source: BoardSource,
  clock: Clock,
  { after, run, seq, tree = false }: BoardRequest,
  signal: AbortSignal,
): AsyncGenerator<BoardItem, void> {
  const view = run === undefined ? undefined : await source.engine.get(run as RunId);
  const streams = [new Board(source, clock).follow(after, signal)];
  if (tree) streams.push(followTreeOf(source, signal));
  // A page may be open on a run that does not exist. It still shows the others.
  if (view !== undefined) {
    const id = view.id as RunId;
    streams.push(followFactsOf(source, id, seq, signal), followTail(source, id, signal));
  }
  yield* mergeStreams<BoardItem>(streams);
}

async function* followTreeOf(
  source: BoardSource,
  signal: AbortSignal,
): AsyncGenerator<BoardItem, void> {
  for await (const tree of source.followTree(signal)) yield { kind: 'tree', tree };
}

class Board {
  readonly #source: BoardSource;
  readonly #clock: Clock;
  /** The bars of runs that have not ended, and how far each was read. */
  readonly #bars = new Map<string, { seq: number; bars: readonly TimelineBar[] }>();
  /** By agent. */
  readonly #accounts = new Map<string, BoardAccount>();

  constructor(source: BoardSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  async *follow(after: number, signal: AbortSignal): AsyncGenerator<BoardItem, void> {
    const { journal } = this.#source;
    const wakeUp = new WakeUp(signal);
    const unsubscribe = journal.onCommit(() => wakeUp.wake());
    try {
      const last = await journal.lastId();
      const isKnown = after > 0 && after <= last && last - after <= REPLAY_MAX;
      await this.#readAccounts();
      let upTo = isKnown ? after : last;
      if (!isKnown) yield* this.#everything(upTo);
      let isFirst = isKnown;
      while (!wakeUp.isOver) {
        const { runs, last: read } = await this.#readChanges(upTo);
        if (read > upTo || isFirst) {
          upTo = read;
          isFirst = false;
          yield await this.#item(await this.#changedRows(runs), upTo, false);
        }
        if (!(await wakeUp.wait())) return;
        await this.#clock.sleep(GATHER_MS, signal);
      }
    } finally {
      unsubscribe();
    }
  }

  async *#everything(upTo: number): AsyncGenerator<BoardItem, void> {
    let isWhole = true;
    for await (const rows of this.#source.listing.pages(ROWS_AT_ONCE, ENDED_MAX)) {
      // A page that loses its connection before the last of them must get all of them again.
      yield await this.#item(rows, 0, isWhole);
      isWhole = false;
    }
    yield await this.#item([], upTo, isWhole);
  }

  async #item(rows: readonly StatusRow[], upTo: number, isWhole: boolean): Promise<BoardItem> {
    return {
      ...{ kind: 'board', isWhole, upTo, now: this.#clock.now() },
      rows: await Promise.all(rows.map((row) => this.#toRow(row))),
      questions: await this.#source.questions.inbox(),
      accounts: [...this.#accounts.values()],
      cooling: this.#source.cooldowns.list(),
      schedules: byNextTime(this.#source.schedules.list()),
    };
  }

  async #readAccounts(): Promise<void> {
    const { journal } = this.#source;
    let before: string | undefined;
    for (let left = ACCOUNT_RUNS_MAX; left > 0; left -= ACCOUNT_PAGE) {
      const ended = await journal.runs({
        ended: true,
        limit: ACCOUNT_PAGE,
        ...defined({ before }),
      });
      for (const view of ended) this.#note(view);
      before = ended.at(-1)?.id;
      if (ended.length < ACCOUNT_PAGE) break;
    }
    for (const view of await journal.runs({ ended: false, limit: ACTIVE_MAX })) this.#note(view);
  }

  /** Steps of a workflow use accounts too, so this sees all runs. */
  #note({ agent, quota, endedAt }: RunView): void {
    if (agent === null || quota === null) return;
    const known = this.#accounts.get(agent);
    const isOlder = known?.endedAt !== undefined && isBefore(endedAt, known.endedAt);
    if (!isOlder) this.#accounts.set(agent, { agent, endedAt, ...quota });
  }

  /** The runs that have events after this one. */
  async #readChanges(
    after: number,
  ): Promise<{ readonly runs: ReadonlySet<string>; readonly last: number }> {
    const runs = new Set<string>();
    let last = after;
    for (;;) {
      const events = await this.#source.journal.readAll({ after: last, limit: PAGE });
      for (const event of events) {
        const run = runOfStream(event.stream);
        if (run !== undefined) runs.add(run);
        if (event.type === 'run.forked') runs.add(event.payload.from);
        if ('run' in event.payload && typeof event.payload.run === 'string')
          runs.add(event.payload.run); // its work was applied
      }
      last = events.at(-1)?.id ?? last;
      if (events.length < PAGE) return { runs, last };
    }
  }

  async #changedRows(runs: ReadonlySet<string>): Promise<readonly StatusRow[]> {
    const views = new Map<string, RunView>();
    for (const run of runs) {
      const view = await this.#source.engine.get(run as RunId);
      if (view === undefined) continue;
      this.#note(view);
      const top = await this.#topOf(view);
      if (top !== undefined) views.set(top.id, top);
    }
    return this.#source.listing.rowsOf([...views.values()]);
  }

  /** A run that another run started is part of that one. Undefined: a long-lived agent has started it. */
  async #topOf(view: RunView): Promise<RunView | undefined> {
    let top: RunView | undefined = view;
    for (let level = 0; level <= CHILD_DEPTH_MAX; level += 1) {
      if (top === undefined || top.parent === null) return top;
      if (top.program === AGENT_PROGRAM) return undefined;
      top = await this.#source.engine.get(top.parent as RunId);
    }
    return undefined;
  }

  async #toRow(row: StatusRow): Promise<BoardRow> {
    const { id, task, outcome } = row.view;
    const below = row.view.asksBelow?.map((one) => ({
      ...one,
      task: truncate(one.task, TASK_CHARS_MAX),
    }));
    const view = {
      ...{ ...row.view, task: truncate(task, TASK_CHARS_MAX), answer: null },
      ...defined({ asksBelow: below }),
    };
    if (outcome === null) return { row: { ...row, view }, bars: await this.#barsOf(id) };
    this.#bars.delete(id);
    return { row: { ...row, view }, bars: [] };
  }

  async #barsOf(run: string): Promise<readonly TimelineBar[]> {
    const known = this.#bars.get(run) ?? { seq: 0, bars: [] };
    const { journal } = this.#source;
    for (;;) {
      const events = await journal.readStream(runStream(run), { after: known.seq, limit: PAGE });
      for (const event of events) known.bars = foldTimeline(known.bars, event).slice(-BARS_MAX);
      known.seq = events.at(-1)?.seq ?? known.seq;
      if (events.length < PAGE) break;
    }
    this.#bars.set(run, known);
    return known.bars;
  }
}

function byNextTime(schedules: readonly ScheduleView[]): readonly BoardSchedule[] {
  return schedules
    .toSorted((one, other) => (one.nextAt ?? Infinity) - (other.nextAt ?? Infinity))
    .map(({ name, cron, timeZone, task, nextAt }) => ({
      ...{ name, cron, timeZone, nextAt, task: truncate(task, TASK_CHARS_MAX) },
    }));
}

/** Null: it has not ended, so it is the newest. */
function isBefore(endedAt: number | null, other: number | null): boolean {
  return endedAt !== null && (other === null || endedAt < other);
}

/** Remembers that something was committed, until that was waited for. */
class WakeUp {
  readonly #signal: AbortSignal;
  #isAwake = false;
  #resolve: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.wake(), { once: true });
  }

  get isOver(): boolean {
    return this.#signal.aborted;
  }

  wake(): void {
    this.#isAwake = true;
    this.#resolve?.();
  }

  /** False: it is over. */
  async wait(): Promise<boolean> {
    if (!this.#isAwake) await new Promise<void>((resolve) => (this.#resolve = resolve));
    this.#isAwake = false;
    return !this.isOver;
  }
}

/** The facts of a run, none missed and none twice, also after its end: work is applied then. */
async function* followFactsOf(
  { journal }: BoardSource,
  run: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<BoardItem, void> {
  const wakeUp = new WakeUp(signal);
  const unsubscribe = journal.onCommit(() => wakeUp.wake());
  let seq = after;
  try {
    while (!wakeUp.isOver) {
      const events: readonly RunEvent[] = await journal.readStream(runStream(run), {
        after: seq,
        limit: PAGE,
      });
      seq = events.at(-1)?.seq ?? seq;
      if (events.length > 0) yield { kind: 'facts', run, events };
      if (events.length < PAGE && !(await wakeUp.wait())) return;
    }
  } finally {
    unsubscribe();
  }
}

async function* followTail(
  source: BoardSource,
  run: RunId,
  signal: AbortSignal,
): AsyncGenerator<BoardItem, void> {
  const request = { follow: true, after: 0, words: true, whole: true, calls: false };
  for await (const { chunks, leftOut } of newestOutput(source.output(run, request, signal)))
    yield { kind: 'output', run, chunks, leftOut };
}
