/** Checks whether the budget has something left, and whether spending can be counted. */
import type { BudgetLimit } from '../../gateway/budget/budget-ledger.ts';
import { knownPrices, readUserPrices } from '../../prices/user-prices.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Checklist, CheckResult } from './checklist.ts';
import type { PreflightPorts } from './run-preflight.ts';
import { BudgetPools } from '../budgets/budget-pools.ts';
import { findBudgetTrouble } from '../budgets/small-budget.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';

type BudgetToCheck = {
  readonly request: RunRequest;
  readonly settings: Settings;
  readonly agents: readonly AgentSpec[];
};

const SCOPES = ['run', 'project', 'tree'] as const;

export async function checkBudget(
  { request, settings, agents }: BudgetToCheck,
  { journal, options }: PreflightPorts,
  list: Checklist,
): Promise<void> {
  const { budget, gateway, recovery } = settings;
  const { ask: asks } = recovery;
  const paid = agents.filter(({ cli }) => cli !== 'scripted');
  await list.check('budget', 'budget', async (): Promise<CheckResult<null>> => {
    if (request.unsafe === true || paid.length === 0)
      return { value: null, words: 'not counted: no model call passes the gateway' };
    const caps = SCOPES.flatMap((scope) =>
      listCaps(budget[scope]).map((cap) => ({ scope, ...cap })),
    );
    if (caps.length === 0) return { value: null, words: 'no limit is set' };
    const words = caps.map(({ scope, limit, cap }) => `${scope}: ${cap} ${limit}`).join(', ');
    const result = { value: null, words };
    const pools = new BudgetPools(journal);
    const spent = await pools.exhaustedLimit(request.project, budget.project, options.clock.now());
    const known = knownPrices(await readUserPrices(options.home.dir));
    const prices = [...gateway.prices, ...known.map(({ price }) => price)];
    const trouble = findBudgetTrouble({ budget, asks, spent }, paid, prices);
    return trouble === undefined ? result : { ...result, warning: trouble };
  });
}

type Cap = { readonly limit: BudgetLimit; readonly cap: number };

function listCaps({ tokens, usd, calls, wallMs }: Settings['budget']['run']): readonly Cap[] {
  const all = [
    ['tokens', tokens],
    ['usd', usd],
    ['calls', calls],
    ['wall', wallMs],
  ] as const;
  return all.flatMap(([limit, cap]) => (cap === null ? [] : [{ limit, cap }]));
}
