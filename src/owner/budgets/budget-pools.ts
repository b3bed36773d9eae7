/**
 * The budget pools of one owner: one for each run, one for each project, shared by its runs, and
 * one for each family of long-lived agents. What was spent under earlier owners comes from the
 * views of the runs, because every attempt records its spending.
 */
import type { Instant } from '../../base/clock.ts';
import { at } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { BudgetsForRun } from '../../execution/model-gateway/run-budgets.ts';
import { raisedCaps } from '../../execution/model-gateway/run-budgets.ts';
import { NO_CAPS, NO_USAGE, addUsage } from '../../gateway/budget/budget-ledger.ts';
import type { BudgetLimit, BudgetCaps, BudgetUsage } from '../../gateway/budget/budget-ledger.ts';
import { BudgetPool } from '../../gateway/budget/budget-pool.ts';
import type { BudgetRaise } from '../../protocol/views/budget-view.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { wallBegunAt } from '../../protocol/views/wall-time.ts';
import type { Journal } from '../../store/journal.ts';
import { AncestorPools } from './ancestor-pools.ts';

type SharedPool = {
  readonly pool: BudgetPool;
  /** By run, because a run reports its total raise each time. */
  readonly raises: Map<string, BudgetRaise>;
};

/** The relations between agents that spawn agents. */
export type AgentFamilies = {
  /** The part of its own budget that an agent has delegated. */
  readonly delegatedBy: (run: RunId) => BudgetUsage;
  /** The top ancestor of the agent's family, followed by all members. Empty for a plain run. */
  readonly findFamily: (run: RunId) => readonly RunId[];
  /** The spending of descendants of an agent that are no longer in the registry. */
  readonly removedUsage: (run: RunId) => BudgetUsage;
};

const RUNS_MAX = 1_000_000;
/** A call that costs nothing. It is refused only if nothing at all is left. */
const FREE_CALL = {
  inputTokens: 0,
  outputTokens: 0,
  outputTokensMin: 0,
  usd: { input: 0, outputToken: 0 },
};
const NO_FAMILIES: AgentFamilies = {
  delegatedBy: () => NO_USAGE,
  findFamily: () => [],
  removedUsage: () => NO_USAGE,
};

export class BudgetPools {
  readonly #journal: Pick<Journal, 'run' | 'runs' | 'readStream'>;
  readonly #shared = new Map<string, Promise<SharedPool>>();
  readonly #families: AgentFamilies;
  readonly #ancestors: AncestorPools;
  /** The pools of agents that may delegate, by run, with their original caps. */
  readonly #delegating = new Map<RunId, { readonly pool: BudgetPool; readonly caps: BudgetCaps }>();

  constructor(
    journal: Pick<Journal, 'run' | 'runs' | 'readStream'>,
    families: AgentFamilies = NO_FAMILIES,
  ) {
    this.#journal = journal;
    this.#families = families;
    this.#ancestors = new AncestorPools(journal);
  }

  /**
   * A run has one attempt at a time, so each attempt gets a new pool for its run. The pools of a
   * project and of a family are shared, and have the caps of the latest attempt.
   */
  readonly of: BudgetsForRun = async (run, project, budget) => {
    const { pool, raises } = await this.#getShared(`project ${project}`, () => this.#read(project));
    const view = await this.#journal.run(run);
    if (view === undefined) throw new Error(`cannot open a budget pool: there is no run ${run}`);
    const { spent, raised, unpriced, tokensCap } = view.budget;
    recordRaise(raises, run, raised.project);
    pool.renew(raisedCaps(budget.project, sumRaises([...raises.values()])));
    const startedAt = at(wallBegunAt(view));
    const configured = { ...budget.run, tokens: tokensCap ?? budget.run.tokens };
    const caps = raisedCaps(configured, raised.run);
    const runPool = new BudgetPool(
      'run',
      subtract(caps, this.#families.delegatedBy(run)),
      startedAt,
      spent,
    );
    if (view.program === AGENT_PROGRAM) this.#delegating.set(run, { pool: runPool, caps });
    const family = await this.#familyPool(run, budget.tree, raised.tree);
    const runTreePool = new BudgetPool(
      'tree',
      raisedCaps(budget.tree, raised.tree),
      startedAt,
      spent,
    );
    const above = await this.#ancestors.of(view);
    return { pools: [runPool, family ?? runTreePool, pool, ...above], unpriced, tokensCap };
  };

  /**
   * Called when an agent has delegated something or got it back. It applies from the next call on.
   */
  renew(run: RunId): void {
    const delegating = this.#delegating.get(run);
    delegating?.pool.renew(subtract(delegating.caps, this.#families.delegatedBy(run)));
  }

  /** Called when a run or an agent has ended. */
  forget(run: RunId): void {
    this.#ancestors.forget(run);
    this.#delegating.delete(run);
    this.#shared.delete(`family ${run}`);
  }

  /** The limit of a project that allows no more calls. Undefined if something is left. */
  async exhaustedLimit(
    project: string,
    caps: BudgetCaps,
    now: Instant,
  ): Promise<BudgetLimit | undefined> {
    const { pool, raises } = await this.#read(project);
    pool.renew(raisedCaps(caps, sumRaises([...raises.values()])));
    const answer = pool.admit(FREE_CALL, now);
    return answer.kind === 'exhausted' ? answer.limit : undefined;
  }

  /** Undefined if the run belongs to no family. */
  async #familyPool(
    run: RunId,
    caps: BudgetCaps,
    raised: BudgetRaise,
  ): Promise<BudgetPool | undefined> {
    const family = this.#families.findFamily(run);
    const [top] = family;
    if (top === undefined) return undefined;
    const { pool, raises } = await this.#getShared(`family ${top}`, async () => {
      const views = await Promise.all(family.map((one) => this.#journal.run(one)));
      return createShared(
        'tree',
        views.filter((view) => view !== undefined),
        family.map((one) => this.#families.removedUsage(one)),
      );
    });
    recordRaise(raises, run, raised);
    pool.renew(raisedCaps(caps, sumRaises([...raises.values()])));
    return pool;
  }

  #getShared(name: string, read: () => Promise<SharedPool>): Promise<SharedPool> {
    const before = this.#shared.get(name);
    if (before !== undefined) return before;
    const shared = read();
    this.#shared.set(name, shared);
    shared.catch(() => this.#shared.delete(name));
    return shared;
  }

  async #read(project: string): Promise<SharedPool> {
    return createShared('project', await this.#journal.runs({ project, limit: RUNS_MAX }));
  }
}

/** Called before the first call of any of these runs, so nothing is counted twice. */
function createShared(
  scope: 'project' | 'tree',
  views: readonly RunView[],
  others: readonly BudgetUsage[] = [],
): SharedPool {
  // Until the first attempt of any run, there is no start time yet.
  const startedAt = views.reduce((first, view) => Math.min(first, startOf(view)), Infinity);
  const spent = views.reduce<BudgetUsage>(addSpent, others.reduce(addUsage, NO_USAGE));
  const raises = new Map(
    views.flatMap(({ id, budget: { raised } }) =>
      isRaise(raised[scope]) ? [[id, raised[scope]] as const] : [],
    ),
  );
  return { pool: new BudgetPool(scope, NO_CAPS, at(startedAt), spent), raises };
}

/** A stored view may be older than the count of time. */
function startOf({ budget: { time }, attempts, submittedAt }: RunView): number {
  return time?.startedAt ?? (attempts > 0 ? submittedAt : Infinity);
}

/**
 * Most runs raise nothing, and a project may have very many runs, so empty raises are not stored.
 */
function recordRaise(raises: Map<string, BudgetRaise>, run: string, raise: BudgetRaise): void {
  if (isRaise(raise)) raises.set(run, raise);
}

function isRaise(raise: BudgetRaise): boolean {
  return Object.values(raise).some((by) => by > 0);
}

function remaining(cap: number | null, used: number): number | null {
  return cap === null ? null : Math.max(0, cap - used);
}

/** A fully delegated cap is 0, not null: null would mean unlimited. */
function subtract({ tokens, usd, calls, wallMs }: BudgetCaps, delegated: BudgetUsage): BudgetCaps {
  return {
    tokens: remaining(tokens, delegated.tokens),
    usd: remaining(usd, delegated.usd),
    calls: remaining(calls, delegated.calls),
    wallMs,
  };
}

/**
 * The spending of the original of a fork is counted there, and that of child runs in those. Reservations of open calls belong to an
 * owner that died, because this one has let no call through yet. They count as spent.
 */
function addSpent(sum: BudgetUsage, { budget }: RunView): BudgetUsage {
  const { spent, before, held, children = NO_USAGE } = budget;
  const own = (limit: keyof BudgetUsage): number =>
    Math.max(0, spent[limit] - before[limit] - children[limit]);
  const total = (limit: 'tokens' | 'usd'): number =>
    held.reduce((sum, one) => sum + one[limit], own(limit));
  return {
    tokens: sum.tokens + total('tokens'),
    usd: sum.usd + total('usd'),
    calls: sum.calls + own('calls') + held.length,
  };
}

function sumRaises(raises: readonly BudgetRaise[]): BudgetRaise {
  const sum = (limit: keyof BudgetRaise): number =>
    raises.reduce((total, raise) => total + raise[limit], 0);
  return { tokens: sum('tokens'), usd: sum('usd'), calls: sum('calls'), wall: sum('wall') };
}
