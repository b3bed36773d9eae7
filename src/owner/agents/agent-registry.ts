/**
 * Every long-lived agent as its facts tell it, the dead ones too. One reader follows the whole journal:
 * a thousand agents that do nothing cost nothing but their place here.
 */
import type { AttemptSettings } from '../../attempts/attempt.ts';
import { describeError } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { BudgetUsage } from '../../gateway/budget/budget-ledger.ts';
import { NO_USAGE, addUsage } from '../../gateway/budget/budget-ledger.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import { agentProgram } from '../../agents/agent-program.ts';
import type { AgentProgramState } from '../../agents/agent-state.ts';
import type { AgentStatus } from '../../agents/agent-status.ts';
import { agentStatus } from '../../agents/agent-status.ts';
import type { BudgetView } from '../../protocol/views/budget-view.ts';
import { foldBudget, NO_BUDGET_SPENT } from '../../protocol/views/budget-view.ts';
import { runOfStream } from '../../protocol/event.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import { AGENT_PROGRAM } from '../../protocol/long-lived-agent.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import { followEvents } from '../../store/follow.ts';

/** One agent as it is now; another value after every fact. */
export type AgentRecord = {
  readonly run: RunId;
  readonly project: string;
  readonly assignment: string;
  readonly settings: LongLivedSettings;
  readonly attempt: AttemptSettings;
  readonly standing: AgentStatus;
  /** It may not be restarted once more. */
  readonly isSpent: boolean;
  readonly budget: BudgetView;
  readonly submittedAt: number;
  /** When it came into its state. */
  readonly since: number;
  readonly outcome: RunOutcome | null;
  /** What those of its descendants have spent that nobody shows any more. */
  readonly buried: BudgetUsage;
};

type Entry = {
  readonly state: AgentProgramState;
  readonly seq: number;
  readonly record: AgentRecord;
};

export type AgentWatcher = (now: AgentRecord, before: AgentRecord | undefined) => void;

const LIVING_MAX = 100_000;
/** So many bodies are kept in the picture; of the others, what they have spent. */
const BODIES_MAX = 200;
const DEAD_MAX = 1_000_000;

export class AgentRegistry {
  readonly #journal: Journal;
  readonly #entries = new Map<RunId, Entry>();
  readonly #watchers = new Set<AgentWatcher>();
  /** Those who look at one agent only: a thousand of them must not be asked about every fact. */
  readonly #watchersOf = new Map<RunId, Set<AgentWatcher>>();
  readonly #over = new AbortController();
  readonly #log: (line: string) => void;
  readonly #forgotten: AgentRecord[] = [];
  #seen = 0;
  #following: Promise<void> = Promise.resolve();

  private constructor(journal: Journal, log: (line: string) => void) {
    this.#journal = journal;
    this.#log = log;
  }

  static async open(journal: Journal, log: (line: string) => void): Promise<AgentRegistry> {
    const book = new AgentRegistry(journal, log);
    book.#seen = await journal.lastId(); // before the runs are read: what comes meanwhile is seen twice, and counts once
    const program = AGENT_PROGRAM;
    const living = await journal.runs({ program, ended: false, limit: LIVING_MAX });
    const dead = await journal.runs({ program, ended: true, limit: DEAD_MAX });
    const shown = withParents(dead.slice(0, BODIES_MAX), dead);
    for (const view of [...living, ...shown].toSorted((a, b) => a.submittedAt - b.submittedAt))
      await book.#load(view);
    const forgotten = new Map<string, BudgetUsage>();
    const isShown = new Set(shown);
    // The youngest first: whoever was summoned by one that is forgotten as well came after it.
    for (const { id, parent, budget } of dead.filter((view) => !isShown.has(view)))
      if (parent !== null)
        add(forgotten, parent, addUsage(budget.spent, forgotten.get(id) ?? NO_USAGE));
    for (const [run, spent] of forgotten) book.#bury(run as RunId, spent);
    book.#following = book.#follow();
    return book;
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#following;
  }

  /** In the order in which they were summoned. */
  all(): readonly AgentRecord[] {
    return [...this.#entries.values()].map(({ record }) => record);
  }

  living(): readonly AgentRecord[] {
    return this.all().filter(({ standing }) => !standing.over);
  }

  get(run: RunId): AgentRecord | undefined {
    return this.#entries.get(run)?.record;
  }

  /** Those that were left out of the picture since this was last asked. */
  takeForgotten(): readonly AgentRecord[] {
    return this.#forgotten.splice(0);
  }

  /** Told after every change; returns how to end that. */
  watch(watcher: AgentWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** The same for one agent. */
  watchOne(run: RunId, watcher: AgentWatcher): () => void {
    const watchers = this.#watchersOf.get(run) ?? new Set();
    this.#watchersOf.set(run, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchersOf.get(run) === watchers)
        this.#watchersOf.delete(run);
    };
  }

  /** The agent once that is so; undefined when the signal aborts, or when the book is closed first. */
  until(
    run: RunId,
    isSo: (record: AgentRecord) => boolean,
    signal?: AbortSignal,
  ): Promise<AgentRecord | undefined> {
    const now = this.get(run);
    if (now !== undefined && isSo(now)) return Promise.resolve(now);
    const ends = [this.#over.signal, ...(signal === undefined ? [] : [signal])];
    if (ends.some(({ aborted }) => aborted)) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const end = (record: AgentRecord | undefined): void => {
        unwatch();
        for (const each of ends) each.removeEventListener('abort', leave);
        resolve(record);
      };
      const leave = (): void => end(undefined);
      const unwatch = this.watchOne(run, (record) => {
        if (isSo(record)) end(record);
      });
      for (const each of ends) each.addEventListener('abort', leave, { once: true });
    });
  }

  async #load({ id, submittedAt, outcome, budget }: RunView): Promise<void> {
    const run = id as RunId;
    try {
      const folded = await loadRun(this.#journal, agentProgram, run);
      if (folded === undefined) return;
      const state = folded.state as unknown as AgentProgramState;
      const record = recordOf(run, state, {
        submittedAt,
        since: submittedAt,
        outcome,
        budget,
        buried: NO_USAGE,
      });
      this.#entries.set(run, { state, seq: folded.seq, record });
    } catch (error) {
      // The engine has told of it as a defect of that run; the others are none the worse for it.
      this.#log(`agent ${run} can't be read: ${describeError(error)}`);
    }
  }

  async #follow(): Promise<void> {
    const from = { after: this.#seen };
    for await (const event of followEvents(this.#journal, from, this.#over.signal)) {
      const run = runOfStream(event.stream) as RunId | undefined;
      if (run !== undefined) this.#take(run, event);
    }
  }

  #take(run: RunId, event: StoredEvent): void {
    const before = this.#entries.get(run);
    if (before === undefined) return this.#welcome(run, event);
    if (event.seq <= before.seq) return;
    const state: AgentProgramState = agentProgram.fold(before.state, event);
    const { submittedAt, since, outcome, standing, budget, buried } = before.record;
    const record = recordOf(run, state, {
      submittedAt,
      since: state.state === standing.state ? since : event.at,
      outcome: event.type === 'run.ended' ? event.payload.outcome : outcome,
      budget: foldBudget(budget, event),
      buried,
    });
    this.#entries.set(run, { state, seq: event.seq, record });
    if (event.type === 'run.ended') this.#forgetOldest();
    this.#tell(record, before.record);
  }

  #welcome(run: RunId, event: StoredEvent): void {
    if (event.type !== 'run.submitted' || event.payload.program !== AGENT_PROGRAM) return;
    const state = agentProgram.start(event.payload);
    const record = recordOf(run, state, {
      submittedAt: event.at,
      since: event.at,
      outcome: null,
      budget: NO_BUDGET_SPENT,
      buried: NO_USAGE,
    });
    this.#entries.set(run, { state, seq: event.seq, record });
    this.#tell(record, undefined);
  }

  /** The journal remembers them; a picture of all the dead would be of no use. */
  #forgetOldest(): void {
    const records = this.all();
    const bodies = records.filter(({ outcome }) => outcome !== null);
    if (bodies.length <= BODIES_MAX) return;
    // Nobody goes before its children: what they have spent is asked of it.
    const parents = new Set(records.map(({ settings }) => settings.parent));
    const oldest = bodies.find(({ run }) => !parents.has(run));
    if (oldest === undefined) return;
    this.#entries.delete(oldest.run);
    this.#forgotten.push(oldest);
    const { parent } = oldest.settings;
    if (parent !== null) this.#bury(parent as RunId, addUsage(oldest.budget.spent, oldest.buried));
  }

  #bury(run: RunId, spent: BudgetUsage): void {
    const entry = this.#entries.get(run);
    if (entry === undefined) return; // nobody above it is known: nobody asks
    const record = { ...entry.record, buried: addUsage(entry.record.buried, spent) };
    this.#entries.set(run, { ...entry, record });
  }

  #tell(now: AgentRecord, before: AgentRecord | undefined): void {
    for (const watcher of this.#watchersOf.get(now.run) ?? []) watcher(now, before);
    for (const watcher of this.#watchers) watcher(now, before);
  }
}

/** With all from whom they descend, as far as those are dead. */
function withParents(some: readonly RunView[], dead: readonly RunView[]): readonly RunView[] {
  const byId = new Map(dead.map((view) => [view.id, view]));
  const all = new Set(some);
  for (const { parent } of all) {
    const above = parent === null ? undefined : byId.get(parent);
    if (above !== undefined) all.add(above); // it is looked at in its turn
  }
  return [...all];
}

function add(sums: Map<string, BudgetUsage>, run: string, spent: BudgetUsage): void {
  sums.set(run, addUsage(sums.get(run) ?? NO_USAGE, spent));
}

function recordOf(
  run: RunId,
  state: AgentProgramState,
  facts: Pick<AgentRecord, 'submittedAt' | 'since' | 'outcome' | 'budget' | 'buried'>,
): AgentRecord {
  const { project, task, life, settings, spent } = state;
  const standing = agentStatus(state);
  return {
    run,
    project,
    assignment: task,
    settings: life,
    attempt: settings,
    standing: facts.outcome === null ? standing : { ...standing, over: true },
    isSpent: spent,
    ...facts,
  };
}
