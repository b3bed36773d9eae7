/** The runs as people list and name them: with the reasons for their states, by prefix, by name, or the last. */
import { describeHold } from '../../attempts/choice/capacity.ts';
import type { Clock } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import type { RunId } from '../../base/ids.ts';
import type { Engine } from '../../engine/engine.ts';
import type { FindRequest, RunsRequest } from '../../protocol/api.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import { endedBadly } from '../../protocol/outcome.ts';
import { isInPlace } from '../../protocol/views/applied-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { StatusRow } from '../../protocol/views/status-row.ts';
import { statusRow } from '../../protocol/views/status-row.ts';
import type { Journal } from '../../store/journal.ts';
import type { AppliesStore } from '../applies/applies-store.ts';
import { appliedView } from '../applies/fold-applies.ts';
import type { AgentsApi } from '../agents/agents-api.ts';
import type { Preparations } from '../preparations.ts';
import type { ContinuedRun } from '../../protocol/views/continuations.ts';
import { continuations } from '../../protocol/views/continuations.ts';
import { runLimits } from '../../protocol/views/run-limits.ts';
import { summarizeMessages } from '../../reports/message-words.ts';
import { findSubmission } from '../credentials/run-credentials.ts';
import { findContinuation } from './find-continuation.ts';
import { withHeldCalls } from './held-calls.ts';
import { findRun } from './find-run.ts';
import { OPEN_RUNS_MAX, withQuestionsBelow } from './questions-below.ts';
import type { RunMessages } from './messages-api.ts';

export type RunListingPorts = {
  readonly engine: Pick<Engine, 'list' | 'holdOf'>;
  readonly journal: Pick<Journal, 'runs' | 'readStream'>;
  readonly agents: Pick<AgentsApi, 'list'>;
  readonly clock: Clock;
  readonly applies: Pick<AppliesStore, 'read'> & {
    /** The same for one run, after a look at its files. */
    readonly check: (id: RunId) => Promise<AppliedView | null>;
  };
  readonly preparations: Pick<Preparations, 'describe'>;
  readonly messages: Pick<RunMessages, 'list'>;
};

/** A look at the files takes time, so a long list looks at those of its newest runs. */
const CHECKED_MAX = 20;

/** The view, with the mark of a run whose next command waits for a slot. */
export function markHeld(engine: Pick<Engine, 'holdOf'>, view: RunView): RunView {
  const isHeld = view.endedAt === null && engine.holdOf(view.id as RunId) !== undefined;
  return isHeld ? { ...view, isHeld } : view;
}

async function withBelow(
  engine: Pick<Engine, 'list'>,
  views: readonly RunView[],
  now: number,
): Promise<readonly RunView[]> {
  if (!views.some(({ outcome, children }) => outcome === null && children > 0)) return views;
  const active = await engine.list({ ended: false, limit: OPEN_RUNS_MAX });
  return withQuestionsBelow(withHeldCalls(views, active, now), active);
}

/** The view with all that is in no fact. */
export async function viewNow(
  engine: Pick<Engine, 'list' | 'holdOf'>,
  view: RunView,
  now: number,
): Promise<RunView> {
  const [found = view] = await withBelow(engine, [view], now);
  return markHeld(engine, found);
}

export class RunListing {
  readonly #ports: RunListingPorts;

  constructor(ports: RunListingPorts) {
    this.#ports = ports;
  }

  /** Newest first. Child runs are listed only for their parent. */
  async rows({ project, ended, parent, limit }: RunsRequest): Promise<readonly StatusRow[]> {
    const { engine } = this.#ports;
    const filter = { limit, parent: parent ?? null, ...defined({ project, ended }) };
    const views = await engine.list(filter);
    const hasEnded = views.some(({ outcome }) => outcome !== null);
    const active =
      hasEnded && ended === true ? await engine.list({ ended: false, limit: OPEN_RUNS_MAX }) : [];
    return this.#toRows(views, continuations([...views, ...active]));
  }

  /**
   * All runs that people see, page by page, so that a long list is never in memory as a whole: those that have not
   * ended, then the newest that have.
   */
  async *pages(pageMax: number, endedMax: number): AsyncGenerator<readonly StatusRow[], void> {
    const continuing: ContinuedRun[] = [];
    let looks = CHECKED_MAX;
    for await (const views of this.#viewPages(pageMax, endedMax)) {
      // A run is submitted after the one that it continues, so it is on this page or on one before it.
      for (const { id, continues, submittedAt } of views)
        if (continues !== null) continuing.push({ id, continues, submittedAt });
      yield await this.#toRows(views, continuations(continuing), looks);
      looks = 0;
    }
  }

  async *#viewPages(pageMax: number, endedMax: number): AsyncGenerator<readonly RunView[], void> {
    for (const ended of [false, true]) {
      let before: string | undefined;
      for (let left = ended ? endedMax : OPEN_RUNS_MAX; left > 0; left -= pageMax) {
        const limit = Math.min(pageMax, left);
        const filter = { ended, parent: null, limit, ...defined({ before }) };
        const views = await this.#ports.engine.list(filter);
        if (views.length > 0) yield views;
        if (views.length < limit) break;
        before = views.at(-1)?.id;
      }
    }
  }

  /** The same for some runs, in their order. */
  async rowsOf(views: readonly RunView[]): Promise<readonly StatusRow[]> {
    const resumed = new Map<string, string>();
    for (const view of views) {
      if (view.outcome === null || !endedBadly(view.outcome)) continue;
      const continued = await findContinuation(this.#ports.journal, view);
      if (continued !== null) resumed.set(view.id, continued);
    }
    return this.#toRows(views, resumed);
  }

  async row(view: RunView): Promise<StatusRow> {
    const continued = await findContinuation(this.#ports.journal, view);
    const resumed = new Map(continued === null ? [] : [[view.id, continued]]);
    const [row] = await this.#toRows([view], resumed);
    const submission = await findSubmission(this.#ports.journal, view.id as RunId);
    const limits = submission && runLimits(submission.settings, view.budget);
    const messages =
      summarizeMessages(await this.#ports.messages.list(view.id as RunId)) ?? undefined;
    return { ...(row as StatusRow), ...defined({ limits, messages }) }; // one for each view
  }

  async #toRows(
    views: readonly RunView[],
    resumed: ReadonlyMap<string, string>,
    looksMax = CHECKED_MAX,
  ): Promise<readonly StatusRow[]> {
    const applies = await this.#ports.applies.read();
    const now = this.#ports.clock.now();
    const applied = new Map(views.map((view) => [view.id, appliedView(applies, view)]));
    const inPlace = views.filter(({ id }) => isInPlace(applied.get(id) ?? null));
    for (const { id } of inPlace.slice(0, looksMax))
      applied.set(id, await this.#ports.applies.check(id as RunId));
    return (await this.withBelow(views)).map((one) => {
      const own = applied.get(one.id) ?? null;
      const view = markHeld(this.#ports.engine, one);
      return statusRow(view, this.hold(view), now, own, resumed.get(view.id) ?? null);
    });
  }

  /** The views, each with what the runs below it ask, and the model call that the gateway keeps back there. */
  withBelow(views: readonly RunView[]): Promise<readonly RunView[]> {
    const { engine, clock } = this.#ports;
    return withBelow(engine, views, clock.now());
  }

  /** Why its agent does not work yet, in words: its workspace is prepared, or a limit holds up its next command. */
  hold({ id, endedAt }: RunView): string | null {
    const preparing = endedAt === null ? this.#ports.preparations.describe(id) : null;
    if (preparing !== null) return preparing;
    const hold = endedAt === null ? this.#ports.engine.holdOf(id as RunId) : undefined;
    return hold === undefined ? null : describeHold(hold);
  }

  /** The run that a person means. */
  find({ reference, project, purpose }: FindRequest): Promise<RunId> {
    const { journal, agents } = this.#ports;
    return findRun({ journal, agents: agents.list() }, reference, project, purpose);
  }
}
