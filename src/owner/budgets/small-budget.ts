/** Finds a budget that does not even pay for the first call of its agent, before a run asks about it at night. */
import { AGENT_CLI_FACTS } from '../../doctor/supported-clis.ts';
import type { Price } from '../../prices/price.ts';
import { findConfiguredPrice } from '../../prices/price.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';

/** What the first request of a coding CLI reserves at least: its instructions and tools, and a short answer. */
const INPUT_TOKENS = 40_000;
const OUTPUT_TOKENS = 1024;
const MILLION = 1_000_000;

/** The configured model, or those that the CLI calls by itself. */
export function modelsOf({ cli, model }: Pick<AgentSpec, 'cli' | 'model'>): readonly string[] {
  if (typeof model === 'string') return [model];
  return AGENT_CLI_FACTS.find((one) => one.cli === cli)?.defaultModels ?? [];
}

export type SmallBudget = { readonly words: string; readonly hint: string };

/** Undefined: the budget pays for a call of the first agent, or that is not known. */
export function findSmallBudget(
  capUsd: number | null,
  agents: readonly Pick<AgentSpec, 'cli' | 'model'>[],
  prices: readonly Price[],
): SmallBudget | undefined {
  const [first] = agents.filter(({ cli }) => cli !== 'scripted');
  if (capUsd === null || first === undefined) return undefined;
  for (const model of modelsOf(first)) {
    const price = findConfiguredPrice(model, prices);
    if (price === undefined) continue;
    const { input, output } = price;
    const least = (input * INPUT_TOKENS + output * OUTPUT_TOKENS) / MILLION;
    if (least <= capUsd) continue;
    const enough = Math.ceil(10 * least);
    return {
      words: `a budget of $${capUsd} may not pay for one call of ${model}, which may cost $${least.toFixed(2)} or more: the run would ask at once`,
      hint: `Give it more with: --budget-usd ${enough}`,
    };
  }
  return undefined;
}
