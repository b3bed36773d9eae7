/**
 * What models cost, as data: each row says since when it is known and where from. A model that is
 * not here has no price, and its cost is null, never a guess.
 */
import type { Usage } from './wire.ts';

/** US dollars for a million tokens. */
type Rates = {
  readonly input: number;
  readonly output: number;
  /** Read from a cache; default: as input. */
  readonly cached?: number;
  /** Written into a cache; default: as input. */
  readonly cacheWrite?: number;
};

export type Price = Rates & {
  /** The name of the model, without the date of a snapshot. */
  readonly model: string;
  /** The tokens that fit into one conversation, where it is known. */
  readonly contextMax?: number;
  /** Rates for a whole call whose input is longer than `over`. */
  readonly long?: Rates & { readonly over: number };
};

export type PriceTable = {
  /** The day on which the rows were last compared with their sources. */
  readonly date: string;
  readonly sources: readonly string[];
  readonly prices: readonly Price[];
};

const M = 1_000_000;

/** Anthropic asks 1.25 times the input for writing a cache that lives five minutes. */
function claude(
  model: string,
  input: number,
  output: number,
  cached: number,
  contextMax: number,
): Price {
  return { model, input, output, cached, cacheWrite: input * 1.25, contextMax };
}

function plain(
  model: string,
  input: number,
  cached: number,
  output: number,
  contextMax: number,
): Price {
  return { model, input, cached, output, contextMax };
}

export const PRICES: PriceTable = {
  date: '2026-11-15',
  sources: [
    'https://platform.claude.com/docs/en/about-claude/pricing',
    'https://developers.openai.com/api/docs/pricing',
    'https://ai.google.dev/gemini-api/docs/pricing',
  ],
  prices: [
    claude('claude-fable-5-1', 10, 50, 0.25, M),
    claude('claude-fable-5', 10, 50, 1, M),
    claude('claude-opus-5-5', 4, 20, 0.2, M),
    claude('claude-opus-5', 5, 25, 0.5, M),
    claude('claude-opus-4-8', 5, 25, 0.5, M),
    claude('claude-opus-4-7', 5, 25, 0.5, M),
    claude('claude-opus-4-6', 5, 25, 0.5, 200_000),
    claude('claude-opus-4-5', 5, 25, 0.5, 200_000),
    claude('claude-opus-4-1', 15, 75, 1.5, 200_000),
    claude('claude-sonnet-5-5', 2, 10, 0.2, M),
    claude('claude-sonnet-5', 2, 10, 0.2, M),
    claude('claude-sonnet-4-6', 3, 15, 0.3, 200_000),
    claude('claude-sonnet-4-5', 3, 15, 0.3, 200_000),
    claude('claude-sonnet-4', 3, 15, 0.3, 200_000),
    {
      ...claude('claude-haiku-5-5', 0.1, 0.5, 0.01, M),
      long: { over: 100_000, input: 0.5, output: 2.5, cached: 0.05, cacheWrite: 0.625 },
    },
    claude('claude-haiku-4-5', 1, 5, 0.1, 200_000),
    {
      ...plain('gpt-5.5', 5, 0.5, 30, 1_050_000),
      long: { over: 272_000, input: 10, cached: 1, output: 45 },
    },
    plain('gpt-5.4', 2.5, 0.25, 15, 1_050_000),
    plain('gpt-5.4-mini', 0.75, 0.075, 4.5, 400_000),
    plain('gpt-5.3-codex', 1.75, 0.175, 14, 400_000),
    plain('gpt-5.2', 1.75, 0.175, 14, 400_000),
    plain('gpt-5.2-codex', 1.75, 0.175, 14, 400_000),
    plain('gpt-5', 1.25, 0.125, 10, 400_000),
    plain('gpt-5-codex', 1.25, 0.125, 10, 400_000),
    plain('gpt-5-mini', 0.25, 0.025, 2, 400_000),
    plain('gpt-4.1', 2, 0.5, 8, 1_047_576),
    plain('gpt-4.1-mini', 0.4, 0.1, 1.6, 1_047_576),
    plain('gpt-4o', 2.5, 1.25, 10, 128_000),
    plain('gemini-3.5-flash', 1.5, 0.15, 9, M),
    {
      ...plain('gemini-2.5-pro', 1.25, 0.125, 10, 1_048_576),
      long: { over: 200_000, input: 2.5, cached: 0.25, output: 15 },
    },
    plain('gemini-2.5-flash', 0.3, 0.03, 2.5, 1_048_576),
    plain('gemini-2.5-flash-lite', 0.1, 0.01, 0.4, 1_048_576),
  ],
};

/** A snapshot (`…-20260528`, `…-2026-05-28`, `…-latest`) costs what its model costs. */
const SNAPSHOT = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

export function priceOf(model: string, prices: readonly Price[]): Price | undefined {
  const name = model.replace(/^models\//, '').replace(/\[[^\]]*\]$/, '');
  const plainName = name.replace(SNAPSHOT, '');
  return prices.find((price) => price.model === name || price.model === plainName);
}

/** In US dollars; null when the model has no price. */
export function costOf(usage: Usage, price: Price | undefined): number | null {
  if (price === undefined) return null;
  const { long } = price;
  const rates = long !== undefined && usage.inputTokens > long.over ? long : price;
  const { input, output, cached = input, cacheWrite = input } = rates;
  const fresh = Math.max(0, usage.inputTokens - usage.cachedTokens - usage.cacheWriteTokens);
  const millionths =
    fresh * input +
    usage.cachedTokens * cached +
    usage.cacheWriteTokens * cacheWrite +
    usage.outputTokens * output;
  return millionths / M;
}
