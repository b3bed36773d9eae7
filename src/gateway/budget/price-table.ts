/**
 * The prices of models, as data. Each row was compared with its sources on the date below. A model that is not listed
 * has no price, and its cost is null, never a guess. If sources differ, the higher price is listed.
 */
import type { Price } from './prices.ts';

export type PriceTable = {
  /** The day on which the rows were last compared with their sources. */
  readonly date: string;
  readonly sources: readonly string[];
  readonly prices: readonly Price[];
};

const M = 1_000_000;

/**
 * Anthropic charges 1.25 times the input price for a five-minute cache, and twice the input price for a one-hour
 * cache.
 */
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

/** From 272,000 input tokens on, the whole call costs twice as much for input and 1.5 times as much for output. */
function longGpt(price: Price): Price {
  const { input, output, cached = input } = price;
  const long = { over: 272_000, input: input * 2, cached: cached * 2, output: output * 1.5 };
  return { ...price, long };
}

/** `audio`: the price of a token of sound, if it is higher than that of a token of text. */
function gemini(
  model: string,
  input: number,
  cached: number,
  output: number,
  audio?: number,
): Price {
  const price = plain(model, input, cached, output, 1_048_576, 65_536);
  return audio === undefined ? price : { ...price, audio };
}

export const PRICES: PriceTable = {
  date: '2026-11-16',
  sources: [
    'https://platform.claude.com/docs/en/about-claude/pricing',
    'https://developers.openai.com/api/docs/pricing',
    'https://ai.google.dev/gemini-api/docs/pricing',
    // In addition to the providers' own pages: the rows of OpenAI and Google, their limits and tiers.
    'https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json',
  ],
  prices: [
    claude('claude-fable-5-1', 10, 50, 0.25, M),
    claude('claude-fable-5', 10, 50, 1, M),
    claude('claude-opus-5-5', 4, 20, 0.2, M),
    claude('claude-opus-5', 5, 25, 0.5, M),
    claude('claude-opus-4-8', 5, 25, 0.5, M),
    claude('claude-opus-4-7', 5, 25, 0.5, M),
    claude('claude-opus-4-6', 5, 25, 0.5, M),
    claude('claude-opus-4-5', 5, 25, 0.5, 200_000, 64_000),
    claude('claude-opus-4-1', 15, 75, 1.5, 200_000, 32_000),
    claude('claude-sonnet-5-5', 2, 10, 0.2, M), // reportedly, a cache read costs half of this since October 2026
    claude('claude-sonnet-5', 2, 10, 0.2, M),
    claude('claude-sonnet-4-6', 3, 15, 0.3, M), // the sources differ about its longest answer: 64,000 or 128,000
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
    { ...longGpt(plain('gpt-5.5', 5, 0.5, 30, 1_050_000)), priority: 2.5 },
    { ...longGpt(plain('gpt-5.4', 2.5, 0.25, 15, 1_050_000)), priority: 2 },
    { ...plain('gpt-5.4-mini', 0.75, 0.075, 4.5, 400_000), priority: 2 },
    { ...plain('gpt-5.3-codex', 1.75, 0.175, 14, 400_000), priority: 2 },
    { ...plain('gpt-5.2', 1.75, 0.175, 14, 400_000), priority: 2 },
    { ...plain('gpt-5.2-codex', 1.75, 0.175, 14, 400_000), priority: 2 },
    { ...plain('gpt-5', 1.25, 0.125, 10, 400_000), priority: 2 },
    plain('gpt-5-codex', 1.25, 0.125, 10, 400_000), // no price for the priority tier: the highest known factor applies
    { ...plain('gpt-5-mini', 0.25, 0.025, 2, 400_000), priority: 1.8 },
    { ...plain('gpt-4.1', 2, 0.5, 8, 1_047_576, 32_768), priority: 1.75 },
    { ...plain('gpt-4.1-mini', 0.4, 0.1, 1.6, 1_047_576, 32_768), priority: 1.75 },
    { ...plain('gpt-4o', 2.5, 1.25, 10, 128_000, 16_384), priority: 1.7 },
    { ...plain('gpt-4o-2024-05-13', 5, 5, 15, 128_000, 16_384), priority: 1.75 }, // more expensive than its successors
    gemini('gemini-3.5-flash', 1.5, 0.15, 9),
    gemini('gemini-3-flash-preview', 0.5, 0.05, 3, 1),
    gemini('gemini-3.1-flash-lite', 0.25, 0.025, 1.5, 0.5),
    gemini('gemini-3.1-flash-lite-preview', 0.25, 0.025, 1.5, 0.5),
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
    gemini('gemini-2.5-flash', 0.3, 0.03, 2.5, 1),
    gemini('gemini-2.5-flash-lite', 0.1, 0.01, 0.4, 0.3),
  ],
};
