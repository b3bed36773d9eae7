import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readPackageFile } from '../host/files/package-data.ts';
import { PRICES } from './shipped-prices.ts';
import type { CallTokens } from './price.ts';
import { callCost, findPrice } from './price.ts';

const usage = (more: Partial<CallTokens>): CallTokens => ({
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  ...more,
});
const M = 1_000_000;

describe('a call costs', () => {
  const cases: [why: string, model: string, usage: CallTokens, usd: number | null][] = [
    ['its input', 'claude-opus-4-8', usage({ inputTokens: M }), 5],
    ['its output', 'claude-opus-4-8', usage({ outputTokens: M }), 25],
    ['less from a cache', 'claude-opus-4-8', usage({ inputTokens: M, cachedTokens: M }), 0.5],
    ['more into one', 'claude-opus-4-8', usage({ inputTokens: M, cacheWriteTokens: M }), 6.25],
    [
      'the price of its model if it is a snapshot',
      'claude-haiku-4-5-20251001',
      usage({ outputTokens: M }),
      5,
    ],
    ['the same under its other name', 'models/gemini-2.5-flash', usage({ outputTokens: M }), 2.5],
    ['the same with a mark', 'claude-sonnet-4-5[1m]', usage({ outputTokens: M }), 15],
    ['less while the prompt is short', 'gemini-2.5-pro', usage({ inputTokens: 200_000 }), 0.25],
    [
      'more once the prompt is long, from its first token',
      'gemini-2.5-pro',
      usage({ inputTokens: 400_000 }),
      1,
    ],
    ['the same for a model of OpenAI', 'gpt-5.4', usage({ inputTokens: 400_000 }), 2],
    ['more for sound', 'gemini-2.5-flash', usage({ inputTokens: M, audioTokens: M }), 1],
    ['an unknown amount for an unlisted model', 'house-model', usage({ inputTokens: M }), null],
    ['an unknown amount if only a prefix of the model is listed', 'gpt-5-of-mine', usage({}), null],
  ];
  for (const [why, model, used, usd] of cases)
    test(why, () => assert.equal(callCost(used, findPrice(model, PRICES.prices)), usd));
});

test('the table says which rows come from secondary sources', () => {
  const { sources, prices } = JSON.parse(readPackageFile('prices.json')) as {
    readonly sources: readonly string[];
    readonly prices: readonly { readonly model: string; readonly note?: string }[];
  };
  assert.match(sources[0] ?? '', /secondary sources were not compared with the pages/);
  const noted = prices.filter(({ note }) => note?.startsWith('From secondary sources.'));
  const newest = [
    ...['claude-fable-5-2', 'gpt-6.1-sol', 'gpt-6.1-terra', 'gpt-6-astra', 'gpt-6-sol'],
    ...['gpt-6-luna', 'gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.6-luna', 'gemini-3.5-flash-lite'],
  ];
  assert.deepEqual(
    noted.map(({ model }) => model),
    newest,
  );
});

test('the table has a date, sources, and one row per model', () => {
  assert.match(PRICES.date, /^\d{4}-\d{2}-\d{2}$/);
  assert.ok(PRICES.sources.slice(1).every((source) => source.startsWith('https://')));
  const models = PRICES.prices.map(({ model }) => model);
  assert.deepEqual(models, [...new Set(models)]);
  for (const { model, input, output, cached = input } of PRICES.prices)
    assert.ok(cached <= input && input < output, model);
});
