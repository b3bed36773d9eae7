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
  /** Written into a cache that lives an hour; default: as any other. */
  readonly cacheWriteHour?: number;
};

export type Price = Rates & {
  /** The name of the model, without the date of a snapshot. */
  readonly model: string;
  /** The tokens that fit into one conversation, where it is known. */
  readonly contextMax?: number;
  /** The most that it writes in one answer, where it is known. */
  readonly outputMax?: number;
  /** What fast mode and the priority tier multiply each rate by, where the list says so. */
  readonly fast?: number;
  readonly priority?: number;
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

/** Anthropic asks 1.25 times the input for a cache that lives five minutes, and twice for an hour. */
function claude(
  model: string,
  input: number,
  output: number,
  cached: number,
  contextMax: number,
  outputMax = 128_000,
): Price {
  const caches = { cached, cacheWrite: input * 1.25, cacheWriteHour: input * 2 };
  return { model, input, output, ...caches, contextMax, outputMax };
}

/** Sonnet 4 and 4.5 with the million-token beta: a long prompt costs more from its first token. */
function longSonnet(model: string): Price {
  const long = { input: 6, output: 22.5, cached: 0.6, cacheWrite: 7.5, cacheWriteHour: 12 };
  return { ...claude(model, 3, 15, 0.3, 200_000, 64_000), long: { over: 200_000, ...long } };
}

function plain(
  model: string,
  input: number,
  cached: number,
  output: number,
  contextMax: number,
  outputMax = 128_000,
): Price {
  return { model, input, cached, output, contextMax, outputMax };
}

function gemini(model: string, input: number, cached: number, output: number): Price {
  return plain(model, input, cached, output, 1_048_576, 65_536);
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
    claude('claude-opus-4-5', 5, 25, 0.5, 200_000, 64_000),
    claude('claude-opus-4-1', 15, 75, 1.5, 200_000, 32_000),
    claude('claude-sonnet-5-5', 2, 10, 0.2, M),
    claude('claude-sonnet-5', 2, 10, 0.2, M),
    claude('claude-sonnet-4-6', 3, 15, 0.3, 200_000),
    longSonnet('claude-sonnet-4-5'),
    longSonnet('claude-sonnet-4'),
    {
      ...claude('claude-haiku-5-5', 0.1, 0.5, 0.01, M),
      long: {
        over: 100_000,
        input: 0.5,
        output: 2.5,
        cached: 0.05,
        cacheWrite: 0.625,
        cacheWriteHour: 1,
      },
    },
    claude('claude-haiku-4-5', 1, 5, 0.1, 200_000, 64_000),
    {
      ...plain('gpt-5.5', 5, 0.5, 30, 1_050_000),
      priority: 2.5,
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
    plain('gpt-4.1', 2, 0.5, 8, 1_047_576, 32_768),
    plain('gpt-4.1-mini', 0.4, 0.1, 1.6, 1_047_576, 32_768),
    plain('gpt-4o', 2.5, 1.25, 10, 128_000, 16_384),
    plain('gpt-4o-2024-05-13', 5, 5, 15, 128_000, 16_384), // dearer than its successors
    gemini('gemini-3.5-flash', 1.5, 0.15, 9),
    gemini('gemini-3-flash-preview', 0.5, 0.05, 3),
    gemini('gemini-3.1-flash-lite', 0.25, 0.025, 1.5),
    gemini('gemini-3.1-flash-lite-preview', 0.25, 0.025, 1.5),
    ...['gemini-3-pro-preview', 'gemini-3.1-pro-preview', 'gemini-3.1-pro-preview-customtools'].map(
      (model) => ({
        ...gemini(model, 2, 0.2, 12),
        long: { over: 200_000, input: 4, cached: 0.4, output: 18 },
      }),
    ),
    {
      ...gemini('gemini-2.5-pro', 1.25, 0.125, 10),
      long: { over: 200_000, input: 2.5, cached: 0.25, output: 15 },
    },
    gemini('gemini-2.5-flash', 0.3, 0.03, 2.5),
    gemini('gemini-2.5-flash-lite', 0.1, 0.01, 0.4),
  ],
};

/** A snapshot (`…-20260528`, `…-2026-05-28`, `…-latest`) costs what its model costs. */
const SNAPSHOT = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/** Without the date of a snapshot, and without marks. */
export function plainModel(model: string): string {
  return unmarked(model).replace(SNAPSHOT, '');
}

function unmarked(model: string): string {
  return model.replace(/^models\//, '').replace(/\[[^\]]*\]$/, '');
}

export function priceOf(model: string, prices: readonly Price[]): Price | undefined {
  const [name, plainName] = [unmarked(model), plainModel(model)];
  // A snapshot that has a row of its own may be dearer.
  return (
    prices.find((price) => price.model === name) ??
    prices.find((price) => price.model === plainName)
  );
}

/** What a provider asks for one use of a tool of its own, such as a search. */
export const SERVER_TOOL_USD = 0.035;

/** In US dollars, with every rate multiplied by `factor`; null when the model has no price. */
export function costOf(usage: Usage, price: Price | undefined, factor = 1): number | null {
  if (price === undefined) return null;
  const { inputTokens, cachedTokens, cacheWriteTokens, cacheWriteHourTokens = 0 } = usage;
  const { input, output, cached, cacheWrite, cacheWriteHour } = ratesFor(inputTokens, price);
  const fresh = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens);
  const millionths =
    fresh * input +
    cachedTokens * cached +
    Math.max(0, cacheWriteTokens - cacheWriteHourTokens) * cacheWrite +
    cacheWriteHourTokens * cacheWriteHour +
    usage.outputTokens * output;
  return (millionths * factor) / M + (usage.serverToolUses ?? 0) * SERVER_TOOL_USD;
}

type AllRates = Required<Rates>;

function ratesFor(inputTokens: number, price: Price): AllRates {
  const { long } = price;
  return allRates(long !== undefined && inputTokens > long.over ? long : price);
}

function allRates({ input, output, cached = input, cacheWrite = input, ...rest }: Rates): AllRates {
  return { input, output, cached, cacheWrite, cacheWriteHour: rest.cacheWriteHour ?? cacheWrite };
}

export type CacheWish = 'none' | 'minutes' | 'hour';

/** The most that one token of a call with at most so much input may cost, read and written. */
export function dearestRates(
  inputTokensMax: number,
  cache: CacheWish,
  price: Price,
): { readonly input: number; readonly output: number } {
  const possible = [allRates(price), ratesFor(inputTokensMax, price)];
  const inputs = possible.flatMap((rates) => [
    rates.input,
    ...(cache === 'none' ? [] : [rates.cacheWrite]),
    ...(cache === 'hour' ? [rates.cacheWriteHour] : []),
  ]);
  const outputs = possible.map(({ output }) => output);
  return { input: Math.max(...inputs) / M, output: Math.max(...outputs) / M };
}
