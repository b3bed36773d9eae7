/** Finds a budget that does not even pay for the first call of its agent, before a run asks about it at night. */
import { AGENT_CLI_FACTS } from '../../doctor/supported-clis.ts';
import type { BudgetLimit } from '../../gateway/budget/budget-ledger.ts';
import { priceState } from '../../prices/check-prices.ts';
import type { Price } from '../../prices/price.ts';
import { findConfiguredPrice } from '../../prices/price.ts';
import { setPriceCommand } from '../../protocol/words/price-command.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';

/** What the first request of a coding CLI reserves at least: its instructions and tools, and a short answer. */
const INPUT_TOKENS = 40_000;
const OUTPUT_TOKENS = 1024;
/** About ten such calls. */
const TOKENS_ENOUGH = 500_000;
const MILLION = 1_000_000;

/** The configured model, or those that the CLI calls by itself. */
function modelsOf({ cli, model }: Pick<AgentSpec, 'cli' | 'model'>): readonly string[] {
  if (typeof model === 'string') return [model];
  return AGENT_CLI_FACTS.find((one) => one.cli === cli)?.defaultModels ?? [];
}

export type SmallBudget = { readonly words: string; readonly hint: string };

export type BudgetOfRun = {
  readonly usd: number | null;
  readonly tokens: number | null;
  /** Whether the run asks a person when its budget is spent. Otherwise it ends. */
  readonly asks: boolean;
};

/** What a run does when a budget does not pay for a call. */
function whenSpent({ asks }: Pick<BudgetOfRun, 'asks'>, when: string): string {
  return asks
    ? `the run would ask ${when}`
    : `the run would end ${when}, because it may not ask (--no-ask)`;
}

type MoneyCaps = { readonly usd: number | null; readonly tokens: number | null };

export type BudgetsOfRun = {
  readonly budget: Readonly<Record<'run' | 'project' | 'tree', MoneyCaps>>;
  readonly asks: boolean;
  /** The limit of the project that allows no more calls. */
  readonly spent: BudgetLimit | undefined;
};

/** Why a run will ask, or end, at its first call. Undefined: its budgets pay for that, or it is not known. */
export function findBudgetTrouble(
  { budget, asks, spent }: BudgetsOfRun,
  agents: readonly Pick<AgentSpec, 'cli' | 'model'>[],
  prices: readonly Price[],
): SmallBudget | undefined {
  const paid = agents.filter(({ cli }) => cli !== 'scripted');
  if (paid.length === 0) return undefined;
  if (spent !== undefined)
    return {
      words: `the budget of this project is used up (${spent}): ${whenSpent({ asks }, 'at its first call')}`,
      hint: asks
        ? 'Raise budget.project in the settings, or answer the run when it asks.'
        : 'Raise budget.project in the settings.',
    };
  const small = findSmallBudget({ ...budget.run, asks }, paid, prices);
  if (small !== undefined) return small;
  const unpriced = paid.flatMap(modelsOf).find((model) => priceState(model, prices) === 'unknown');
  const limitsMoney = Object.values(budget).some(({ usd }) => usd !== null);
  if (unpriced === undefined || !limitsMoney) return undefined;
  return {
    words: `money is limited, and the price of ${unpriced} is unknown: ${whenSpent({ asks }, 'at its first call')}`,
    hint: `Set its price with: ${setPriceCommand(unpriced)}. Or limit tokens instead: --set budget.usd=null --budget-tokens 2000000`,
  };
}

/** Undefined: the budget pays for a call of the first agent, or that is not known. */
export function findSmallBudget(
  budget: BudgetOfRun,
  agents: readonly Pick<AgentSpec, 'cli' | 'model'>[],
  prices: readonly Price[],
): SmallBudget | undefined {
  const [first] = agents.filter(({ cli }) => cli !== 'scripted');
  if (first === undefined) return undefined;
  return fewTokens(budget, first) ?? littleMoney(budget, first, prices);
}

function fewTokens(budget: BudgetOfRun, { cli }: Pick<AgentSpec, 'cli'>): SmallBudget | undefined {
  const { tokens } = budget;
  const least = INPUT_TOKENS + OUTPUT_TOKENS;
  if (tokens === null || tokens >= least) return undefined;
  return {
    words: `a budget of ${tokens} tokens may not pay for one call of ${cli}, which may use ${least} tokens or more: ${whenSpent(budget, 'at once')}`,
    hint: `Give it more with: --budget-tokens ${TOKENS_ENOUGH}`,
  };
}

function littleMoney(
  budget: BudgetOfRun,
  first: Pick<AgentSpec, 'cli' | 'model'>,
  prices: readonly Price[],
): SmallBudget | undefined {
  const { usd } = budget;
  if (usd === null) return undefined;
  for (const model of modelsOf(first)) {
    const price = findConfiguredPrice(model, prices);
    if (price === undefined) continue;
    const { input, output } = price;
    const least = (input * INPUT_TOKENS + output * OUTPUT_TOKENS) / MILLION;
    if (least <= usd) continue;
    const enough = Math.ceil(10 * least);
    return {
      words: `a budget of $${usd} may not pay for one call of ${model}, which may cost $${least.toFixed(2)} or more: ${whenSpent(budget, 'at once')}`,
      hint: `Give it more with: --budget-usd ${enough}`,
    };
  }
  return undefined;
}
