/** Checks whether the budget has something left, and whether spending can be counted. */
import type { BudgetLimit } from '../../gateway/budget/budget-ledger.ts';
import { priceState } from '../../prices/check-prices.ts';
import { knownPrices, readUserPrices } from '../../prices/user-prices.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Checklist, CheckResult } from './checklist.ts';
import type { PreflightPorts } from './run-preflight.ts';
import { shellWord } from '../../base/shell-words.ts';
import { BudgetPools } from '../budgets/budget-pools.ts';
import { findSmallBudget, modelsOf, whenSpent } from '../budgets/small-budget.ts';
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
    if (spent !== undefined)
      return {
        ...result,
        warning: {
          words: `the budget of this project is used up (${spent}): ${whenSpent({ asks }, 'at its first call')}`,
          hint: asks
            ? 'Raise budget.project in the settings, or answer the run when it asks.'
            : 'Raise budget.project in the settings.',
        },
      };
    const known = knownPrices(await readUserPrices(options.home.dir));
    const prices = [...gateway.prices, ...known.map(({ price }) => price)];
    const small = findSmallBudget({ ...budget.run, asks }, paid, prices);
    if (small !== undefined) return { ...result, warning: small };
    const unpriced = paid
      .flatMap(modelsOf)
      .find((model) => priceState(model, prices) === 'unknown');
    if (unpriced === undefined || !caps.some(({ limit }) => limit === 'usd')) return result;
    return {
      ...result,
      warning: {
        words: `money is limited, and the price of ${unpriced} is unknown: ${whenSpent({ asks }, 'at its first call')}`,
        hint: `Set its price with: supervisor prices set ${shellWord(unpriced)} --input USD --output USD. Or limit tokens instead: --set budget.usd=null --budget-tokens 2000000`,
      },
    };
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
