/**
 * The budgets of the runs above a child run. What a child spends is also reserved there, and their time is its time.
 * Each such pool is shared by all runs below it, so children side by side can't spend the same money.
 */
import { at } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import { raisedCaps } from '../../execution/model-gateway/run-budgets.ts';
import { NO_CAPS, addUsage } from '../../gateway/budget/budget-ledger.ts';
import type { BudgetCaps, BudgetUsage } from '../../gateway/budget/budget-ledger.ts';
import { BudgetPool } from '../../gateway/budget/budget-pool.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import type { AttemptSettings } from '../../protocol/pinned-settings.ts';
import { ATTEMPTS_PROGRAM } from '../../protocol/run-submission.ts';
import { runStream } from '../../protocol/streams.ts';
import type { BudgetRaise } from '../../protocol/views/budget-view.ts';
import { spentByRun } from '../../protocol/views/budget-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { wallBegunAt } from '../../protocol/views/wall-time.ts';
import type { Journal } from '../../store/journal.ts';

type AncestorPool = {
  readonly pool: BudgetPool;
  readonly caps: BudgetCaps;
  /** How far the runs below have raised it. A person answers the run that asks. */
  readonly raises: Map<string, BudgetRaise>;
};

export class AncestorPools {
  readonly #journal: Pick<Journal, 'run' | 'readStream'>;
  readonly #pools = new Map<string, Promise<AncestorPool>>();

  constructor(journal: Pick<Journal, 'run' | 'readStream'>) {
    this.#journal = journal;
  }

  /** The pools above the run, nearest first. A run that starts runs shares the pool that bounds them. */
  async of(view: RunView): Promise<readonly BudgetPool[]> {
    const pools: BudgetPool[] = [];
    for (const ancestor of await this.#lineage(view)) {
      const { pool, caps, raises } = await this.#get(ancestor);
      if (ancestor !== view) raises.set(view.id, view.budget.raised.tree);
      const all = [ancestor.budget.raised.run, ...raises.values()];
      pool.renew(all.reduce(raisedCaps, caps));
      pools.push(pool);
    }
    return pools;
  }

  /** Called when a run has ended. */
  forget(run: RunId): void {
    this.#pools.delete(run);
  }

  /** Plain runs and long-lived agents start no runs, so they need no pool of their own here. */
  async #lineage(view: RunView): Promise<readonly RunView[]> {
    const lineage = isPlain(view) ? [] : [view];
    let current: RunView | undefined = view;
    while (current !== undefined && current.parent !== null && current.program !== AGENT_PROGRAM) {
      current = await this.#journal.run(current.parent);
      if (current !== undefined) lineage.push(current);
    }
    return lineage;
  }

  #get(view: RunView): Promise<AncestorPool> {
    const known = this.#pools.get(view.id);
    if (known !== undefined) return known;
    const opened = this.#open(view);
    this.#pools.set(view.id, opened);
    opened.catch(() => this.#pools.delete(view.id));
    return opened;
  }

  /** Called before the first call below this run under this owner, so nothing is counted twice. */
  async #open(view: RunView): Promise<AncestorPool> {
    const startedAt = at(wallBegunAt(view));
    const open = await this.#spentByOpen(view);
    const spent = open.reduce(addUsage, view.budget.spent);
    const caps = await this.#caps(view.id);
    return { pool: new BudgetPool('tree', caps, startedAt, spent), caps, raises: new Map() };
  }

  /** The children that have ended are in the total of the run already. */
  async #spentByOpen({ open }: RunView): Promise<readonly BudgetUsage[]> {
    const below = open.map(async ({ run }): Promise<readonly BudgetUsage[]> => {
      const child = run === undefined ? undefined : await this.#journal.run(run);
      if (child === undefined) return [];
      const own = spentByRun(child.budget);
      return [...(own === undefined ? [] : [own]), ...(await this.#spentByOpen(child))];
    });
    return (await Promise.all(below)).flat();
  }

  /** The caps that the run has pinned. A program without a budget has none. */
  async #caps(run: string): Promise<BudgetCaps> {
    const [first] = await this.#journal.readStream(runStream(run), { after: 0, limit: 1 });
    const submission =
      first?.type === 'run.forked'
        ? first.payload.submission
        : first?.type === 'run.submitted'
          ? first.payload
          : undefined;
    return (submission?.settings as Partial<AttemptSettings> | undefined)?.budget?.run ?? NO_CAPS;
  }
}

function isPlain({ program }: RunView): boolean {
  return program === ATTEMPTS_PROGRAM || program === AGENT_PROGRAM;
}
