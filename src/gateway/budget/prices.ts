/** What a call costs, by the price of its model. */
import type { TokenUsage } from '../wires/wire.ts';

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
  /** A token of sound that is read, where it costs more than one of text. */
  readonly audio?: number;
  /** Rates for a whole call whose input is longer than `over`. */
  readonly long?: Rates & { readonly over: number };
};

const M = 1_000_000;

/** A snapshot (`…-20260528`, `…-2026-05-28`) costs what its model costs. */
const SNAPSHOT = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/;
/** The provider decides which model that is, and may choose a dearer one. */
const LATEST = /-latest$/;

/** Without the date of a snapshot, and without marks. */
export function baseModelName(model: string): string {
  return unmarked(model).replace(LATEST, '').replace(SNAPSHOT, '');
}

function unmarked(model: string): string {
  return model.replace(/^models\//, '').replace(/\[[^\]]*\]$/, '');
}

export function findPrice(model: string, prices: readonly Price[]): Price | undefined {
  const name = unmarked(model);
  const plainName = name.replace(SNAPSHOT, '');
  // A snapshot that has a row of its own may be dearer. A moving name has a price only in such a row.
  return (
    prices.find((price) => price.model === name) ??
    prices.find((price) => price.model === plainName)
  );
}

/** What a provider asks for one use of a tool of its own, such as a search. */
export const SERVER_TOOL_USD = 0.035;

/** In US dollars, with every rate multiplied by `factor`; null when the model has no price. */
export function callCost(usage: TokenUsage, price: Price | undefined, factor = 1): number | null {
  if (price === undefined) return null;
  const { inputTokens, cachedTokens, cacheWriteTokens, cacheWriteHourTokens = 0 } = usage;
  const { audioTokens = 0 } = usage;
  const { input, output, cached, cacheWrite, cacheWriteHour } = ratesFor(inputTokens, price);
  const fresh = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens);
  const heard = Math.min(audioTokens, inputTokens); // also from a cache: its rate for sound is not known
  const millionths =
    fresh * input +
    heard * Math.max(0, (price.audio ?? input) - input) +
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

/** The most that one token of a call with at most so much input may cost, read and written. */
export function dearestRates(
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
