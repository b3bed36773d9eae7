/**
 * The purses of one owner: one for each run, one for each project that its runs share, one for each family
 * of long-lived agents. What was spent before this owner is read from the views of the runs, into which every attempt writes.
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
import { AGENT_PROGRAM } from '../../protocol/long-lived-agent.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';

type Shared = {
  readonly purse: BudgetPool;
  /** By run, since a run tells the whole of it each time. */
  readonly raises: Map<string, BudgetRaise>;
};

/** What is known of agents that start agents. */
export type AgentFamilies = {
  /** What an agent has given to others out of its own budget. */
  readonly givenBy: (run: RunId) => BudgetUsage;
  /** The agent from which all of its family descend, and after it all of them; none for a plain run. */
  readonly familyOf: (run: RunId) => readonly RunId[];
  /** What descendants of an agent have spent that are in nobody's family any more. */
  readonly buriedBy: (run: RunId) => BudgetUsage;
};

const RUNS_MAX = 1_000_000;
/** A call that costs nothing: refused only where nothing at all is left. */
const NO_WISH = {
  inputTokens: 0,
  outputTokens: 0,
  outputTokensMin: 0,
  usd: { input: 0, outputToken: 0 },
};
const NO_FAMILIES: AgentFamilies = {
  givenBy: () => NO_USAGE,
  familyOf: () => [],
  buriedBy: () => NO_USAGE,
};

export class BudgetPools {
  readonly #journal: Pick<Journal, 'run' | 'runs'>;
  readonly #shared = new Map<string, Promise<Shared>>();
  readonly #families: AgentFamilies;
  /** The purses of agents that may give to others: by run, with the caps that they had at first. */
  readonly #givers = new Map<RunId, { readonly purse: BudgetPool; readonly caps: BudgetCaps }>();

  constructor(journal: Pick<Journal, 'run' | 'runs'>, families: AgentFamilies = NO_FAMILIES) {
    this.#journal = journal;
    this.#families = families;
  }

  /**
   * A run has one attempt at a time, so its own purse is opened anew for each. Those of a project and of a
   * family are shared, and have the caps of the attempt that was begun last.
   */
  readonly of: BudgetsForRun = async (run, project, budget) => {
    const { purse, raises } = await this.#sharedBy(`project ${project}`, () => this.#read(project));
    const view = await this.#journal.run(run);
    if (view === undefined) throw new Error(`there is no run ${run} to open a purse for`);
    const { spent, before, raised, unpriced } = view.budget;
    note(raises, run, raised.project);
    purse.renew(raisedCaps(budget.project, sumOf([...raises.values()])));
    const begunAt = at(view.submittedAt - before.wallMs); // as if it had begun with the run that it goes on from
    const caps = raisedCaps(budget.run, raised.run);
    const own = new BudgetPool('run', without(caps, this.#families.givenBy(run)), begunAt, spent);
    if (view.program === AGENT_PROGRAM) this.#givers.set(run, { purse: own, caps });
    const family = await this.#ofFamily(run, budget.tree, raised.tree);
    const alone = new BudgetPool('tree', raisedCaps(budget.tree, raised.tree), begunAt, spent);
    return { purses: [own, family ?? alone, purse], unpriced };
  };

  /** It has given something away, or got it back: felt at its next call. */
  renew(run: RunId): void {
    const giver = this.#givers.get(run);
    giver?.purse.renew(without(giver.caps, this.#families.givenBy(run)));
  }

  /** It is over. */
  forget(run: RunId): void {
    this.#givers.delete(run);
    this.#shared.delete(`family ${run}`);
  }

  /** Which cap of a project lets no more calls through; undefined: there is something left. */
  async spentUp(project: string, caps: BudgetCaps, now: Instant): Promise<BudgetLimit | undefined> {
    const { purse, raises } = await this.#read(project);
    purse.renew(raisedCaps(caps, sumOf([...raises.values()])));
    const answer = purse.admit(NO_WISH, now);
    return answer.kind === 'exhausted' ? answer.limit : undefined;
  }

  /** Undefined: it belongs to none. */
  async #ofFamily(
    run: RunId,
    caps: BudgetCaps,
    raised: BudgetRaise,
  ): Promise<BudgetPool | undefined> {
    const family = this.#families.familyOf(run);
    const [top] = family;
    if (top === undefined) return undefined;
    const { purse, raises } = await this.#sharedBy(`family ${top}`, async () => {
      const views = await Promise.all(family.map((one) => this.#journal.run(one)));
      return shareOf(
        'tree',
        views.filter((view) => view !== undefined),
        family.map((one) => this.#families.buriedBy(one)),
      );
    });
    note(raises, run, raised);
    purse.renew(raisedCaps(caps, sumOf([...raises.values()])));
    return purse;
  }

  #sharedBy(name: string, read: () => Promise<Shared>): Promise<Shared> {
    const before = this.#shared.get(name);
    if (before !== undefined) return before;
    const shared = read();
    this.#shared.set(name, shared);
    shared.catch(() => this.#shared.delete(name));
    return shared;
  }

  async #read(project: string): Promise<Shared> {
    return shareOf('project', await this.#journal.runs({ project, limit: RUNS_MAX }));
  }
}

/** Before the first call of any of them goes out, so nothing is counted twice. */
function shareOf(
  scope: 'project' | 'tree',
  views: readonly RunView[],
  others: readonly BudgetUsage[] = [],
): Shared {
  // Where there is none yet, nothing has begun either.
  const begunAt = views.reduce((first, view) => Math.min(first, view.submittedAt), Infinity);
  const spent = views.reduce<BudgetUsage>(addSpent, others.reduce(addUsage, NO_USAGE));
  const raises = new Map(
    views.flatMap(({ id, budget: { raised } }) =>
      isRaise(raised[scope]) ? [[id, raised[scope]] as const] : [],
    ),
  );
  return { purse: new BudgetPool(scope, NO_CAPS, at(begunAt), spent), raises };
}

/** Most runs raise nothing, and a project may have very many of them. */
function note(raises: Map<string, BudgetRaise>, run: string, raise: BudgetRaise): void {
  if (isRaise(raise)) raises.set(run, raise);
}

function isRaise(raise: BudgetRaise): boolean {
  return Object.values(raise).some((by) => by > 0);
}

function left(cap: number | null, less: number): number | null {
  return cap === null ? null : Math.max(0, cap - less);
}

/** A cap that is used up by gifts is one of nothing, and never none. */
function without({ tokens, usd, calls, wallMs }: BudgetCaps, given: BudgetUsage): BudgetCaps {
  return {
    tokens: left(tokens, given.tokens),
    usd: left(usd, given.usd),
    calls: left(calls, given.calls),
    wallMs,
  };
}

/**
 * What a run goes on from is counted there. What calls of it still hold, they hold under an owner that is
 * dead: this one has let none out yet.
 */
function addSpent(sum: BudgetUsage, { budget: { spent, before, held } }: RunView): BudgetUsage {
  const total = (limit: 'tokens' | 'usd'): number =>
    held.reduce((so, one) => so + one[limit], Math.max(0, spent[limit] - before[limit]));
  return {
    tokens: sum.tokens + total('tokens'),
    usd: sum.usd + total('usd'),
    calls: sum.calls + spent.calls - before.calls + held.length,
  };
}

function sumOf(raises: readonly BudgetRaise[]): BudgetRaise {
  const sum = (limit: keyof BudgetRaise): number =>
    raises.reduce((total, raise) => total + raise[limit], 0);
  return { tokens: sum('tokens'), usd: sum('usd'), calls: sum('calls'), wall: sum('wall') };
}
