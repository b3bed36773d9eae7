/**
 * Explains runs: reads their histories from the journal and renders results, reports, notifications
 * and `why`.
 */
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { NotificationEvent, OwnerEvent, ScheduleEvent } from '../../protocol/event.ts';
import { OWNER_STREAM, SCHEDULE_STREAM, runOfStream } from '../../protocol/streams.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import { CHILD_DEPTH_MAX } from '../../protocol/child-run.ts';
import { BEST_OF_PROGRAM } from '../../protocol/best-of.ts';
import { exitCodeOf } from '../../protocol/exit-code.ts';
import { commitMessage } from '../../reports/commit-message.ts';
import type { ReportRow, ReportView } from '../../reports/runs/runs-report.ts';
import { buildReport, reportRow } from '../../reports/runs/runs-report.ts';
import type { RunResult } from '../../public-json/run-result.ts';
import { runResult } from '../../public-json/run-result.ts';
import type { NotificationDocument } from '../../public-json/reading-documents.ts';
import { notificationDocument } from '../../public-json/reading-documents.ts';
import { findDowntimes } from '../../reports/runs/downtimes.ts';
import { findOwnerEnds } from '../../reports/runs/owner-ends.ts';
import type { RunHistory } from '../../reports/runs/run-history.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import { describeHeldCall } from '../../protocol/words/call-hold.ts';
import { describeLogin } from '../../protocol/words/login-expiry.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { runStatus } from '../../protocol/views/run-status.ts';
import { takenOverReason } from '../../protocol/views/status-row.ts';
import type { WhyView } from '../../reports/runs/explain-run.ts';
import { explainRun } from '../../reports/runs/explain-run.ts';
import { timesWithoutRun } from '../../reports/runs/times-without-run.ts';
import type { Undelivered } from '../../reports/runs/undelivered.ts';
import { undeliveredByRun } from '../../reports/runs/undelivered.ts';
import type { WorkDiff } from '../../protocol/api.ts';
import type { EventIn } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';
import { readStream } from '../run-reader.ts';
import { undamaged } from '../undamaged.ts';
import type { RunArtifactsApi } from './run-artifacts.ts';
import { continuations } from '../../protocol/views/continuations.ts';
import { notificationsSince } from '../notifications/notifications-of.ts';
import { findContinuation } from './find-continuation.ts';
import { RunHistoryStore } from './run-history-store.ts';

export type RunReportsPorts = {
  /** Returns the current journal, because the owner may replace it. */
  readonly journal: () => Journal;
  readonly clock: Clock;
  /** Refuses with `run.not-found`. */
  readonly view: (id: RunId) => Promise<RunView>;
  /** The limit that keeps the next command of a run from starting, in words. */
  readonly hold: (view: RunView) => string | null;
  /** The views with what the runs below them ask, and the model call that the gateway keeps back there. */
  readonly withBelow: (views: readonly RunView[]) => Promise<readonly RunView[]>;
  /** See the function of this name. */
  readonly markHeld: (view: RunView) => RunView;
  readonly artifacts: Pick<RunArtifactsApi, 'paths'>;
  /** What became of the work of a run. */
  readonly applied: (id: string) => Promise<AppliedView | null>;
  /** The files that the work of an ended run changes. Null: not known. */
  readonly files: (id: RunId) => Promise<WorkDiff['files'] | null>;
};

/** More than a person reads in one report. */
const REPORT_RUNS_MAX = 500;
/** The maximum number of open runs, and of ended runs, that a report examines. */
const EXAMINED_MAX = 5000;
/** How far back it is known when no owner ran. */
const OWNER_FACTS_MAX = 1000;
/** How far back it is known which times of schedules gave no run. */
const SCHEDULE_FACTS_MAX = 1000;

export class RunReports {
  readonly #ports: RunReportsPorts;
  readonly #histories: RunHistoryStore;

  constructor(ports: RunReportsPorts) {
    this.#ports = ports;
    this.#histories = new RunHistoryStore(ports.journal);
  }

  /**
   * Called as a run grows. Saves a snapshot of its history, so that no request has to read all
   * facts.
   */
  grown(id: RunId, seq: number): Promise<void> {
    return this.#histories.saveIfDue(id, seq);
  }

  async result(id: RunId): Promise<RunResult> {
    const view = await this.#ports.view(id);
    const { outcome } = view;
    const exitCode = outcome === null ? null : exitCodeOf(outcome);
    const artifacts = await this.#ports.artifacts.paths(id);
    const history = await this.#histories.read(id);
    return runResult(history, {
      state: runStatus(view),
      exitCode,
      answer: view.answer,
      artifacts,
      applied: await this.#ports.applied(id),
      files: await this.#files(id, history),
      workflow: view.workflow,
      stepRuns: isParent(view) ? await this.#stepRuns(history) : [],
    });
  }

  /** Without a run that is damaged or was never started. */
  async #stepRuns({ children }: RunHistory): Promise<readonly RunHistory[]> {
    const found: RunHistory[] = [];
    for (const { run } of children) {
      if ((await this.#ports.journal().run(run)) === undefined) continue;
      const history = await undamaged(() => this.#histories.read(run as RunId));
      if (history !== undefined) found.push(history);
    }
    return found;
  }

  /** Null: not known. An agent without a sandbox works directly in the project, where its changes are not counted. */
  async #files(
    id: RunId,
    { outcome, attempts, steps }: RunHistory,
  ): Promise<WorkDiff['files'] | null> {
    if (outcome === null) return null;
    if (steps.work !== null) return this.#ports.files(id);
    if (attempts.some(({ kept }) => kept !== null)) return this.#ports.files(id);
    return attempts.some(({ sandbox }) => sandbox.backend === 'none') ? null : [];
  }

  /** The notification about a run for the address that asked for it. */
  async notice(id: RunId, event: NotificationDocument['event']): Promise<NotificationDocument> {
    const row = await this.#row(id);
    const view = await this.#ports.view(id);
    const place = { parent: view.parent, root: await this.#rootOf(view) };
    const document = notificationDocument(event, row, await this.result(id), place);
    if (event !== 'login') return document;
    const { login } = view;
    return {
      ...document,
      reason: describeLogin(login, this.#ports.clock.now()) ?? document.reason,
    };
  }

  /** The run that a person started. A long-lived agent counts as started by a person. */
  async #rootOf(view: RunView): Promise<string> {
    let root = view;
    for (let level = 0; level <= CHILD_DEPTH_MAX && root.program !== AGENT_PROGRAM; level += 1) {
      if (root.parent === null) break;
      root = await this.#ports.view(root.parent as RunId);
    }
    return root.id;
  }

  async #row(id: RunId): Promise<ReportRow> {
    const view = await this.#ports.view(id);
    const { clock, applied } = this.#ports;
    const history = await this.#histories.read(id);
    const { asksBelow } = view;
    return reportRow(history, runStatus(view), clock.now(), await applied(id), { asksBelow });
  }

  /** The message of a commit with the work of the run. */
  async commitMessage(id: RunId, firstLine?: string): Promise<string> {
    return commitMessage(await this.#histories.read(id), firstLine);
  }

  async why(id: RunId): Promise<WhyView> {
    const view = await this.#ports.view(id);
    const history = await this.#histories.read(id);
    const { clock, hold, applied } = this.#ports;
    const now = clock.now();
    const facts = await this.#ownerFacts();
    return explainRun(history, runStatus(view), now, {
      hold:
        takenOverReason(view) ??
        hold(view) ??
        describeHeldCall(view.heldCall, now) ??
        describeLogin(view.login, now),
      applied: await applied(id),
      resumedAs: await findContinuation(this.#ports.journal(), view),
      downtimes: findDowntimes(facts),
      ownerEnds: findOwnerEnds(facts),
      endsBefore: await this.#endsBefore(history),
      undelivered: (await this.#undelivered(view.submittedAt)).get(id) ?? [],
      asksBelow: view.asksBelow,
    });
  }

  async #endsBefore({ origins }: RunHistory): Promise<ReadonlyMap<string, RunOutcome>> {
    const ends = new Map<string, RunOutcome>();
    for (const { from } of origins) {
      const outcome = (await this.#ports.journal().run(from))?.outcome ?? null;
      if (outcome !== null) ends.set(from, outcome);
    }
    return ends;
  }

  /** The report of the open runs and of the runs that ended since then. */
  async report(since: number): Promise<ReportView> {
    const { journal, clock } = this.#ports;
    const now = clock.now();
    // Open runs come first, however long ago they were submitted.
    // A run that another one started counts there.
    const open = await this.#ports.withBelow(
      await journal().runs({ ended: false, parent: null, limit: EXAMINED_MAX }),
    );
    const latest = await journal().runs({ ended: true, parent: null, limit: EXAMINED_MAX });
    const ended = latest.filter(({ endedAt }) => endedAt !== null && endedAt >= since);
    // A run that ended between the two reads is in both lists. Its end counts.
    const hasEnded = new Set(latest.map(({ id }) => id));
    const selected = [...open.filter(({ id }) => !hasEnded.has(id)), ...ended];
    const resumed = continuations(selected);
    const undelivered = await this.#undelivered(
      Math.min(...selected.map(({ submittedAt }) => submittedAt)),
    );
    const rows = [];
    for (const view of selected.slice(0, REPORT_RUNS_MAX)) {
      const history = await undamaged(() => this.#histories.read(view.id as RunId));
      if (history === undefined) continue;
      // The history is read after the view, so the run may have ended in between.
      const state = history.outcome?.kind ?? runStatus(this.#ports.markHeld(view));
      const applied = await this.#ports.applied(view.id);
      const around = {
        resumedAs: resumed.get(view.id) ?? null,
        undelivered: undelivered.get(view.id) ?? [],
        asksBelow: view.asksBelow,
      };
      rows.push(reportRow(history, state, now, applied, around));
    }
    const leftOut = Math.max(0, selected.length - REPORT_RUNS_MAX);
    const isCut = latest.length === EXAMINED_MAX;
    const damaged = journal()
      .damages()
      .flatMap(({ stream }) => runOfStream(stream) ?? []);
    const without = timesWithoutRun(await this.#scheduleFacts(), since);
    const window = {
      since,
      until: now,
      leftOut,
      ...(isCut ? { lookedAt: EXAMINED_MAX } : {}),
      ...(without.length > 0 ? { timesWithoutRun: [...without] } : {}),
      ...(damaged.length > 0 ? { damaged } : {}),
    };
    return buildReport(rows, window, findDowntimes(await this.#ownerFacts()));
  }

  /** By run. A damaged fact hides them, and only explanations depend on them. */
  async #undelivered(since: number): Promise<ReadonlyMap<string, readonly Undelivered[]>> {
    const read = (): Promise<readonly NotificationEvent[]> =>
      notificationsSince(this.#ports.journal(), since);
    return undeliveredByRun((await undamaged(read)) ?? []);
  }

  /** The newest facts of the owners. A damaged one hides them, and only explanations depend on them. */
  #ownerFacts(): Promise<readonly OwnerEvent[]> {
    return this.#newest(OWNER_STREAM, OWNER_FACTS_MAX);
  }

  #scheduleFacts(): Promise<readonly ScheduleEvent[]> {
    return this.#newest(SCHEDULE_STREAM, SCHEDULE_FACTS_MAX);
  }

  async #newest<Name extends string>(
    stream: Name,
    limit: number,
  ): Promise<readonly EventIn<Name>[]> {
    const journal = this.#ports.journal();
    const after = Math.max(0, (await journal.lastSeq(stream)) - limit);
    const read = async (): Promise<readonly EventIn<Name>[]> => {
      const facts: EventIn<Name>[] = [];
      for await (const fact of readStream(journal, stream, after)) facts.push(fact);
      return facts;
    };
    return (await undamaged(read)) ?? [];
  }
}

/** The attempts of its runs are those of the run itself. */
function isParent({ workflow, program }: RunView): boolean {
  return workflow !== null || program === BEST_OF_PROGRAM;
}
