/** Finds a budget that does not even pay for the first call of its agent, before a run asks about it at night. */
import { AGENT_CLI_FACTS } from '../../doctor/supported-clis.ts';
import type { Price } from '../../prices/price.ts';
import { findConfiguredPrice } from '../../prices/price.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';

/** What the first request of a coding CLI reserves at least: its instructions and tools, and a short answer. */
const INPUT_TOKENS = 40_000;
const OUTPUT_TOKENS = 1024;
/** About ten such calls. */
const TOKENS_ENOUGH = 500_000;
const MILLION = 1_000_000;

/** The configured model, or those that the CLI calls by itself. */
export function modelsOf({ cli, model }: Pick<AgentSpec, 'cli' | 'model'>): readonly string[] {
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
export function whenSpent({ asks }: Pick<BudgetOfRun, 'asks'>, when: string): string {
  return asks
    ? `the run would ask ${when}`
    : `the run would end ${when}, because it may not ask (--no-ask)`;
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
