/** Explains runs: reads what happened in one out of the journal and tells it in the form that is asked for. */
import type { Clock } from '../base/clock.ts';
import type { RunId } from '../base/ids.ts';
import { exitCodeOf } from '../protocol/exit-code.ts';
import { runStream } from '../protocol/event.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { ReportRow, ReportView } from '../protocol/report.ts';
import { reportOf, reportRow } from '../protocol/report.ts';
import type { RunResult } from '../protocol/run-result.ts';
import { resultOf } from '../protocol/run-result.ts';
import type { RunStory } from '../protocol/run-story.ts';
import { followStory } from '../protocol/run-story.ts';
import type { RunView } from '../protocol/run-view.ts';
import { runStatus } from '../protocol/run-view.ts';
import type { WhyView } from '../protocol/why.ts';
import { whyOf } from '../protocol/why.ts';
import type { Journal } from '../store/journal.ts';
import type { Artifacts } from './artifacts.ts';
import type { Notice } from './deliver-notice.ts';

export type StoryPorts = {
  /** As it is now: it may have been replaced. */
  readonly journal: () => Journal;
  readonly clock: Clock;
  /** Refuses with `run.not-found`. */
  readonly view: (id: RunId) => Promise<RunView>;
  readonly artifacts: Pick<Artifacts, 'paths'>;
};

/** What is read at once is not interrupted, so it is little. */
const PAGE = 250;
const FORK_DEPTH_MAX = 100;
/** More than a person reads with their coffee. */
const REPORT_RUNS_MAX = 500;
/** So many of those that go on, and so many of those that have ended, are looked at. */
const LOOK_AT_MAX = 5000;

export class Stories {
  readonly #ports: StoryPorts;

  constructor(ports: StoryPorts) {
    this.#ports = ports;
  }

  async result(id: RunId): Promise<RunResult> {
    const view = await this.#ports.view(id);
    const { outcome } = view;
    const exitCode = outcome === null ? null : exitCodeOf(outcome);
    const artifacts = await this.#ports.artifacts.paths(id);
    return resultOf(await this.#story(id), { state: runStatus(view), exitCode, artifacts });
  }

  /** What somebody is told who asked to hear of the run. */
  async notice(id: RunId, event: Notice['event']): Promise<Notice> {
    const { task, project, state, because, next } = await this.#row(id);
    const result = await this.result(id);
    return { event, run_id: id, state, project, task, because, next, result };
  }

  async #row(id: RunId): Promise<ReportRow> {
    const view = await this.#ports.view(id);
    return reportRow(await this.#story(id), runStatus(view), this.#ports.clock.now());
  }

  async why(id: RunId): Promise<WhyView> {
    const view = await this.#ports.view(id);
    return whyOf(await this.#story(id), runStatus(view), this.#ports.clock.now());
  }

  /** Of the runs that are going on, and those that have ended since then. */
  async report(since: number): Promise<ReportView> {
    const { journal, clock } = this.#ports;
    const now = clock.now();
    // Those that go on first, however long ago they were submitted.
    const open = await journal().runs({ ended: false, limit: LOOK_AT_MAX });
    const last = await journal().runs({ ended: true, limit: LOOK_AT_MAX });
    const ended = last.filter(({ endedAt }) => endedAt !== null && endedAt >= since);
    // A run that ended between the two reads is in both: its end is the later word.
    const hasEnded = new Set(last.map(({ id }) => id));
    const wanted = [...open.filter(({ id }) => !hasEnded.has(id)), ...ended];
    const rows = [];
    for (const view of wanted.slice(0, REPORT_RUNS_MAX)) {
      const story = await this.#story(view.id as RunId);
      // The story is read later than the view, so the run may have ended since.
      rows.push(reportRow(story, story.outcome?.kind ?? runStatus(view), now));
    }
    const leftOut = Math.max(0, wanted.length - REPORT_RUNS_MAX);
    const isCut = last.length === LOOK_AT_MAX;
    return reportOf(rows, {
      since,
      until: now,
      leftOut,
      ...(isCut ? { lookedAt: LOOK_AT_MAX } : {}),
    });
  }

  async #story(id: RunId): Promise<RunStory> {
    let story: RunStory | undefined;
    for await (const event of this.#history(id, Infinity, 0)) story = followStory(story, event);
    if (story === undefined) throw new Error(`run ${id} has no first fact`);
    return story;
  }

  /** What it took over from the run that it was forked from, then its own facts. */
  async *#history(id: string, upTo: number, depth: number): AsyncGenerator<StoredEvent, void> {
    if (depth > FORK_DEPTH_MAX) throw new RangeError(`run ${id} is forked too deep`);
    for (let after = 0; after < upTo;) {
      const limit = Math.min(PAGE, upTo - after);
      const page = await this.#ports.journal().readStream(runStream(id), { after, limit });
      for (const event of page) {
        if (event.type === 'run.forked')
          yield* this.#history(event.payload.from, event.payload.seq, depth + 1);
        yield event;
      }
      if (page.length < limit) return;
      after += page.length;
    }
  }
}
