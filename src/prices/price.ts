/** Computes the cost of a call from the price of its model. */

/** The tokens of one call, as its provider reports them. */
export type CallTokens = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheWriteHourTokens?: number;
  readonly audioTokens?: number;
  readonly serverToolUses?: number;
};

/** US dollars for a million tokens. */
type Rates = {
  readonly input: number;
  readonly output: number;
  /** Read from a cache. Default: the input price. */
  readonly cached?: number;
  /** Written into a cache. Default: the input price. */
  readonly cacheWrite?: number;
  /** Written into a one-hour cache. Default: the price of `cacheWrite`. */
  readonly cacheWriteHour?: number;
};

export type Price = Rates & {
  /** The name of the model, without the date of a snapshot. */
  readonly model: string;
  /** The size of the context, if it is known. */
  readonly contextMax?: number;
  /** The longest answer, if it is known. */
  readonly outputMax?: number;
  /** The factors that fast mode and the priority tier apply to each rate, if the price list names them. */
  readonly fast?: number;
  readonly priority?: number;
  /** The price of an input token of sound, if it is higher than that of text. */
  readonly audio?: number;
  /** Rates for a whole call whose input is longer than `over`. */
  readonly long?: Rates & { readonly over: number };
};

const M = 1_000_000;

/** A snapshot (`…-20260528`, `…-2026-05-28`) costs what its model costs. */
const SNAPSHOT = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/;
/** The provider decides which model a `-latest` name means, and may choose a more expensive one. */
const LATEST = /-latest$/;

/** The name without the date of a snapshot and without marks such as `[1m]`. */
export function baseModelName(model: string): string {
  return priceName(model).replace(LATEST, '').replace(SNAPSHOT, '');
}

/** The name by which prices are stored and compared: without `models/` and without marks such as `[1m]`. */
export function priceName(model: string): string {
  return model.replace(/^models\//, '').replace(/\[[^\]]*\]$/, '');
}

/** The price of a model under the name that a call uses. */
export function findPrice(model: string, prices: readonly Price[]): Price | undefined {
  const name = priceName(model);
  const plainName = name.replace(SNAPSHOT, '');
  const rows = prices.map((price) => ({ price, row: priceName(price.model) }));
  // A snapshot with its own row may be more expensive. A `-latest` name has a price only in such a row.
  const found =
    rows.find(({ row }) => row === name) ??
    rows.find(({ row }) => row === plainName) ??
    // A row may name the provider as the settings do (`openrouter/house-7`), and a call may leave it out.
    rows.find(({ row }) => row.endsWith(`/${name}`) || row.endsWith(`/${plainName}`));
  return found?.price;
}

/** The price of a model under the name in the settings of an agent, which may begin with its provider. */
export function findConfiguredPrice(model: string, prices: readonly Price[]): Price | undefined {
  return findPrice(model, prices) ?? findPrice(model.split('/').at(-1) ?? '', prices);
}

/** The price of one use of a provider-side tool, such as a search. */
export const SERVER_TOOL_USD = 0.035;

/** In US dollars, with every rate multiplied by `factor`. Null if the model has no price. */
export function callCost(usage: CallTokens, price: Price | undefined, factor = 1): number | null {
  if (price === undefined) return null;
  const { inputTokens, cachedTokens, cacheWriteTokens, cacheWriteHourTokens = 0 } = usage;
  const { audioTokens = 0 } = usage;
  const { input, output, cached, cacheWrite, cacheWriteHour } = ratesFor(inputTokens, price);
  const uncached = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens);
  const audio = Math.min(audioTokens, inputTokens); // cached sound is included, because its cache rate is not known
  const millionths =
    uncached * input +
    audio * Math.max(0, (price.audio ?? input) - input) +
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

export type CacheRequest = 'none' | 'minutes' | 'hour';

/** The highest price of one token, input and output, for a call with at most this much input. */
export function highestRates(
  inputTokensMax: number,
  cache: CacheRequest,
  price: Price,
  hasSound = false,
): { readonly input: number; readonly output: number } {
  const possible = [allRates(price), ratesFor(inputTokensMax, price)];
  const inputs = possible.flatMap((rates) => [
    rates.input,
    ...(cache === 'none' ? [] : [rates.cacheWrite]),
    ...(cache === 'hour' ? [rates.cacheWriteHour] : []),
    ...(hasSound ? [price.audio ?? 0] : []),
  ]);
  const outputs = possible.map(({ output }) => output);
  return { input: Math.max(...inputs) / M, output: Math.max(...outputs) / M };
}
