/** Checks whether the budget has something left, and whether spending can be counted. */
import type { BudgetLimit } from '../../gateway/budget/budget-ledger.ts';
import { PRICES } from '../../gateway/budget/price-table.ts';
import { findPrice } from '../../gateway/budget/prices.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Checklist, CheckResult } from './checklist.ts';
import type { PreflightPorts } from './run-preflight.ts';
import { BudgetPools } from '../budgets/budget-pools.ts';
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
  const { budget, gateway } = settings;
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
          words: `the budget of this project is used up (${spent}): the run would ask at its first call`,
          hint: 'Raise budget.project in the settings, or answer the run when it asks.',
        },
      };
    const prices = [...gateway.prices, ...PRICES.prices];
    const unpriced = paid.find(({ model }) => !mayHavePrice(model ?? null, prices));
    if (unpriced === undefined || !caps.some(({ limit }) => limit === 'usd')) return result;
    return {
      ...result,
      warning: {
        words: `money is limited, and the price of ${unpriced.model ?? ''} is unknown: the run would ask at its first call`,
        hint: 'Add its price under gateway.prices.',
      },
    };
  });
}

/** Which model a nickname such as `sonnet` stands for is known only from its calls. */
function mayHavePrice(model: string | null, prices: Parameters<typeof findPrice>[1]): boolean {
  const name = (model ?? '').split('/').at(-1) ?? '';
  return !/\d/.test(name) || findPrice(name, prices) !== undefined;
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
