/**
 * The current state of every long-lived agent, ended ones included, folded from the journal. One
 * reader follows the whole journal, so an idle agent costs only memory.
 */
import { describeError } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { BudgetUsage } from '../../gateway/budget/budget-ledger.ts';
import { NO_USAGE, addUsage } from '../../gateway/budget/budget-ledger.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import { agentProgram } from '../../agents/agent-program.ts';
import type { AgentProgramState } from '../../agents/agent-state.ts';
import type { AgentStatus } from '../../agents/agent-status.ts';
import { agentState, agentStatus } from '../../agents/agent-status.ts';
import type { BudgetView } from '../../protocol/views/budget-view.ts';
import { foldBudget, NO_BUDGET_SPENT } from '../../protocol/views/budget-view.ts';
import { isRunEvent, runOfStream } from '../../protocol/streams.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import { followEvents } from '../../store/follow.ts';
import type { AttemptSettings } from '../../protocol/pinned-settings.ts';

/** One agent as it is now. Each fact produces a new value. */
export type AgentRecord = {
  readonly run: RunId;
  readonly project: string;
  readonly assignment: string;
  readonly settings: LongLivedSettings;
  readonly attempt: AttemptSettings;
  readonly status: AgentStatus;
  /** True if the agent has no restarts left. */
  readonly isExhausted: boolean;
  readonly budget: BudgetView;
  readonly submittedAt: number;
  /** When the agent entered its current state. */
  readonly since: number;
  readonly outcome: RunOutcome | null;
  /** The spending of descendants that are no longer in the registry. */
  readonly removedUsage: BudgetUsage;
};

type Entry = {
  readonly state: AgentProgramState;
  readonly seq: number;
  readonly record: AgentRecord;
};

export type AgentWatcher = (current: AgentRecord, previous: AgentRecord | undefined) => void;

const RUNNING_MAX = 100_000;
/** This many ended agents stay in the registry. For the others it keeps only what they spent. */
const ENDED_SHOWN_MAX = 200;
const ENDED_MAX = 1_000_000;

export class AgentRegistry {
  readonly #journal: Journal;
  readonly #entries = new Map<RunId, Entry>();
  readonly #watchers = new Set<AgentWatcher>();
  /**
   * Watchers of one agent, by its run. A fact must not call the watchers of a thousand other
   * agents.
   */
  readonly #watchersByRun = new Map<RunId, Set<AgentWatcher>>();
  readonly #closed = new AbortController();
  readonly #log: (line: string) => void;
  readonly #onFault: (why: string) => void;
  readonly #removed: AgentRecord[] = [];
  #lastId = 0;
  #following: Promise<void> = Promise.resolve();

  private constructor(
    journal: Journal,
    log: (line: string) => void,
    onFault: (why: string) => void,
  ) {
    this.#journal = journal;
    this.#log = log;
    this.#onFault = onFault;
  }

  /** `onFault` is called if the journal can't be followed any more, so that all of this is old from now on. */
  static async open(
    journal: Journal,
    log: (line: string) => void,
    onFault: (why: string) => void,
  ): Promise<AgentRegistry> {
    const registry = new AgentRegistry(journal, log, onFault);
    registry.#lastId = await journal.lastId(); // read before the runs: a fact in between is read twice, and its seq makes it count once
    const program = AGENT_PROGRAM;
    const living = await journal.runs({ program, ended: false, limit: RUNNING_MAX });
    const ended = await journal.runs({ program, ended: true, limit: ENDED_MAX });
    const shown = withParents(ended.slice(0, ENDED_SHOWN_MAX), ended);
    for (const view of [...living, ...shown].toSorted((a, b) => a.submittedAt - b.submittedAt))
      await registry.#load(view);
    const removedUsage = new Map<string, BudgetUsage>();
    const isShown = new Set(shown);
    // The youngest comes first, because an agent is younger than its parent. So the sum of a
    // removed agent is complete when it is added to its parent.
    for (const { id, parent, budget } of ended.filter((view) => !isShown.has(view)))
      if (parent !== null)
        addToSums(removedUsage, parent, addUsage(budget.spent, removedUsage.get(id) ?? NO_USAGE));
    for (const [run, spent] of removedUsage) registry.#addRemovedUsage(run as RunId, spent);
    registry.#following = registry.#follow();
    return registry;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#following;
  }

  /** All agents, in the order of their spawn. */
  all(): readonly AgentRecord[] {
    return [...this.#entries.values()].map(({ record }) => record);
  }

  living(): readonly AgentRecord[] {
    return this.all().filter(({ status }) => !status.isOver);
  }

  get(run: RunId): AgentRecord | undefined {
    return this.#entries.get(run)?.record;
  }

  /** Returns the agents that were removed since the last call. */
  takeRemoved(): readonly AgentRecord[] {
    return this.#removed.splice(0);
  }

  /** Calls the watcher after every change. Returns a function that removes it. */
  watch(watcher: AgentWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Like `watch`, for one agent. */
  watchOne(run: RunId, watcher: AgentWatcher): () => void {
    const watchers = this.#watchersByRun.get(run) ?? new Set();
    this.#watchersByRun.set(run, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchersByRun.get(run) === watchers)
        this.#watchersByRun.delete(run);
    };
  }

  /**
   * Resolves with the agent when the condition holds. Resolves with undefined if the signal aborts
   * or the registry is closed first.
   */
  until(
    run: RunId,
    isReached: (record: AgentRecord) => boolean,
    signal?: AbortSignal,
  ): Promise<AgentRecord | undefined> {
    const current = this.get(run);
    if (current !== undefined && isReached(current)) return Promise.resolve(current);
    const signals = [this.#closed.signal, ...(signal === undefined ? [] : [signal])];
    if (signals.some(({ aborted }) => aborted)) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const end = (record: AgentRecord | undefined): void => {
        unwatch();
        for (const each of signals) each.removeEventListener('abort', abort);
        resolve(record);
      };
      const abort = (): void => end(undefined);
      const unwatch = this.watchOne(run, (record) => {
        if (isReached(record)) end(record);
      });
      for (const each of signals) each.addEventListener('abort', abort, { once: true });
    });
  }

  async #load({ id, submittedAt, outcome, budget }: RunView): Promise<void> {
    const run = id as RunId;
    try {
      const folded = await loadRun(this.#journal, agentProgram, run);
      if (folded === undefined) return;
      // The loader folds any program, so its type has no state of its own; this is the fold of agentProgram.
      const state = folded.state as unknown as AgentProgramState;
      const record = toRecord(run, state, {
        submittedAt,
        since: submittedAt,
        outcome,
        budget,
        removedUsage: NO_USAGE,
      });
      this.#entries.set(run, { state, seq: folded.seq, record });
    } catch (error) {
      // The engine reports this as a defect of the run. The other agents are not affected.
      this.#log(`could not read agent ${run}: ${describeError(error)}`);
    }
  }

  async #follow(): Promise<void> {
    const from = { after: this.#lastId };
    try {
      for await (const event of followEvents(this.#journal, from, this.#closed.signal))
        if (isRunEvent(event)) this.#apply(runOfStream(event.stream) as RunId, event);
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#onFault(describeError(error));
    }
  }

  #apply(run: RunId, event: RunEvent): void {
    const previous = this.#entries.get(run);
    if (previous === undefined) return this.#addSpawned(run, event);
    if (event.seq <= previous.seq) return;
    const state: AgentProgramState = agentProgram.fold(previous.state, event);
    const { submittedAt, since, outcome, status, budget, removedUsage } = previous.record;
    const record = toRecord(run, state, {
      submittedAt,
      since: agentState(state) === status.state ? since : event.at,
      outcome: event.type === 'run.ended' ? event.payload.outcome : outcome,
      budget: foldBudget(budget, event),
      removedUsage,
    });
    this.#entries.set(run, { state, seq: event.seq, record });
    if (event.type === 'run.ended') this.#removeOldest();
    this.#notify(record, previous.record);
  }

  #addSpawned(run: RunId, event: RunEvent): void {
    if (event.type !== 'run.submitted' || event.payload.program !== AGENT_PROGRAM) return;
    const state = agentProgram.start(event.payload);
    const record = toRecord(run, state, {
      submittedAt: event.at,
      since: event.at,
      outcome: null,
      budget: NO_BUDGET_SPENT,
      removedUsage: NO_USAGE,
    });
    this.#entries.set(run, { state, seq: event.seq, record });
    this.#notify(record, undefined);
  }

  /** Ended agents stay in the journal. Keeping all of them in memory would have no use. */
  #removeOldest(): void {
    const records = this.all();
    const ended = records.filter(({ outcome }) => outcome !== null);
    if (ended.length <= ENDED_SHOWN_MAX) return;
    // An agent is removed after its children, because it carries what they spent.
    const parents = new Set(records.map(({ settings }) => settings.parent));
    const oldest = ended.find(({ run }) => !parents.has(run));
    if (oldest === undefined) return;
    this.#entries.delete(oldest.run);
    this.#removed.push(oldest);
    const { parent } = oldest.settings;
    if (parent !== null)
      this.#addRemovedUsage(parent as RunId, addUsage(oldest.budget.spent, oldest.removedUsage));
  }

  #addRemovedUsage(run: RunId, spent: BudgetUsage): void {
    const entry = this.#entries.get(run);
    if (entry === undefined) return; // no ancestor is known, so the sum is not needed
    const record = { ...entry.record, removedUsage: addUsage(entry.record.removedUsage, spent) };
    this.#entries.set(run, { ...entry, record });
  }

  #notify(current: AgentRecord, previous: AgentRecord | undefined): void {
    for (const watcher of this.#watchersByRun.get(current.run) ?? []) watcher(current, previous);
    for (const watcher of this.#watchers) watcher(current, previous);
  }
}

/** Adds all ended ancestors of the given runs. */
function withParents(runs: readonly RunView[], ended: readonly RunView[]): readonly RunView[] {
  const byId = new Map(ended.map((view) => [view.id, view]));
  const all = new Set(runs);
  for (const { parent } of all) {
    const parentView = parent === null ? undefined : byId.get(parent);
    if (parentView !== undefined) all.add(parentView); // the loop visits it too
  }
  return [...all];
}

function addToSums(sums: Map<string, BudgetUsage>, run: string, spent: BudgetUsage): void {
  sums.set(run, addUsage(sums.get(run) ?? NO_USAGE, spent));
}

function toRecord(
  run: RunId,
  state: AgentProgramState,
  facts: Pick<AgentRecord, 'submittedAt' | 'since' | 'outcome' | 'budget' | 'removedUsage'>,
): AgentRecord {
  const { project, task, agent, attempt } = state.pinned;
  const status = agentStatus(state);
  return {
    run,
    project,
    assignment: task,
    settings: agent,
    attempt,
    status: facts.outcome === null ? status : { ...status, isOver: true },
    isExhausted: state.restartsExhausted,
    ...facts,
  };
}
