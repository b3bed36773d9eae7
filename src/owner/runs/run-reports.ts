/** Explains runs: reads what happened in one out of the journal and tells it in the form that is asked for. */
import type { Clock } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { runOfStream } from '../../protocol/event.ts';
import { exitCodeOf } from '../../protocol/exit-code.ts';
import type { ReportRow, ReportView } from '../../reports/runs-report.ts';
import { buildReport, reportRow } from '../../reports/runs-report.ts';
import type { RunResult } from '../../reports/run-result.ts';
import { runResult } from '../../reports/run-result.ts';
import type { RunHistory } from '../../reports/run-history.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { runStatus } from '../../protocol/views/run-view.ts';
import type { WhyView } from '../../reports/explain-run.ts';
import { explainRun } from '../../reports/explain-run.ts';
import type { Journal } from '../../store/journal.ts';
import type { RunArtifactsApi } from './run-artifacts.ts';
import type { Notification } from '../notifications/deliver-notification.ts';
import { RunHistoryStore } from './run-history-store.ts';

export type RunReportsPorts = {
  /** As it is now: it may have been replaced. */
  readonly journal: () => Journal;
  readonly clock: Clock;
  /** Refuses with `run.not-found`. */
  readonly view: (id: RunId) => Promise<RunView>;
  readonly artifacts: Pick<RunArtifactsApi, 'paths'>;
};

/** More than a person reads with their coffee. */
const REPORT_RUNS_MAX = 500;
/** So many of those that go on, and so many of those that have ended, are looked at. */
const LOOK_AT_MAX = 5000;

export class RunReports {
  readonly #ports: RunReportsPorts;
  readonly #book: RunHistoryStore;

  constructor(ports: RunReportsPorts) {
    this.#ports = ports;
    this.#book = new RunHistoryStore(ports.journal);
  }

  /** A run has grown to so many facts: its story is kept, so that no question has to read them all. */
  grown(id: RunId, seq: number): Promise<void> {
    return this.#book.keep(id, seq);
  }

  async result(id: RunId): Promise<RunResult> {
    const view = await this.#ports.view(id);
    const { outcome } = view;
    const exitCode = outcome === null ? null : exitCodeOf(outcome);
    const artifacts = await this.#ports.artifacts.paths(id);
    return runResult(await this.#book.read(id), { state: runStatus(view), exitCode, artifacts });
  }

  /** What somebody is told who asked to hear of the run. */
  async notice(id: RunId, event: Notification['event']): Promise<Notification> {
    const { task, project, state, because, next } = await this.#row(id);
    const result = await this.result(id);
    return { event, run_id: id, state, project, task, because, next, result };
  }

  async #row(id: RunId): Promise<ReportRow> {
    const view = await this.#ports.view(id);
    return reportRow(await this.#book.read(id), runStatus(view), this.#ports.clock.now());
  }

  async why(id: RunId): Promise<WhyView> {
    const view = await this.#ports.view(id);
    return explainRun(await this.#book.read(id), runStatus(view), this.#ports.clock.now());
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
      const story = await this.#ifSound(view.id as RunId);
      if (story === undefined) continue;
      // The story is read later than the view, so the run may have ended since.
      rows.push(reportRow(story, story.outcome?.kind ?? runStatus(view), now));
    }
    const leftOut = Math.max(0, wanted.length - REPORT_RUNS_MAX);
    const isCut = last.length === LOOK_AT_MAX;
    const damaged = journal()
      .damages()
      .flatMap(({ stream }) => runOfStream(stream) ?? []);
    return buildReport(rows, {
      since,
      until: now,
      leftOut,
      ...(isCut ? { lookedAt: LOOK_AT_MAX } : {}),
      ...(damaged.length > 0 ? { damaged } : {}),
    });
  }

  /** Undefined for a run with a damaged fact, which the journal tells of. */
  async #ifSound(id: RunId): Promise<RunHistory | undefined> {
    try {
      return await this.#book.read(id);
    } catch (error) {
      if (isRefusal(error, 'store.damaged')) return undefined;
      throw error;
    }
  }
}
