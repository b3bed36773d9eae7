/** Which models have a price, and how old the prices are. */
import { findConfiguredPrice } from './price.ts';
import type { Price } from './price.ts';
import { PRICES } from './shipped-prices.ts';
import type { UserPrices } from './user-prices.ts';
import { knownPrices } from './user-prices.ts';

/** A model, and the agent or CLI that uses it. */
export type ModelUse = { readonly by: string; readonly model: string };

export type PriceCheck = {
  /** Of the newest table. */
  readonly date: string;
  readonly ageDays: number;
  /** After this many days, prices may have changed. */
  readonly oldAfterDays: number;
  readonly models: readonly {
    readonly model: string;
    readonly by: readonly string[];
    /** `alias`: a short name such as `sonnet`. Its model is known only from its calls. */
    readonly price: 'known' | 'unknown' | 'alias';
  }[];
  /** The models whose price the user has set. */
  readonly own: readonly string[];
};

const OLD_AFTER_DAYS = 60;
const DAY_MS = 86_400_000;

type Known = {
  readonly user: UserPrices;
  /** The prices of the settings, which override all others. */
  readonly settings: readonly Price[];
  readonly now: number;
};

export function checkPrices(uses: readonly ModelUse[], { user, settings, now }: Known): PriceCheck {
  const prices = knownPrices(user, { settings }).map(({ price }) => price);
  const date = [PRICES.date, user.table?.date ?? ''].toSorted().at(-1) ?? PRICES.date;
  const models = [...new Set(uses.map(({ model }) => model))].map((model) => ({
    model,
    by: uses.filter((use) => use.model === model).map(({ by }) => by),
    price: priceState(model, prices),
  }));
  return {
    date,
    ageDays: Math.max(0, Math.floor((now - Date.parse(date)) / DAY_MS)),
    oldAfterDays: OLD_AFTER_DAYS,
    models,
    own: user.own.map(({ model }) => model),
  };
}

/** A name without a digit is the short name of a model. */
export function priceState(model: string, prices: readonly Price[]): 'known' | 'unknown' | 'alias' {
  if (findConfiguredPrice(model, prices) !== undefined) return 'known';
  return /\d/.test(model.split('/').at(-1) ?? '') ? 'unknown' : 'alias';
}
