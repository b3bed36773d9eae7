import type { ModelLimits } from '../../adapters/adapter.ts';
import type { Price } from '../../prices/price.ts';
import { PRICES } from '../../prices/shipped-prices.ts';
import { findConfiguredPrice } from '../../prices/price.ts';

/** Null: no table lists the model, or its row has no limits. */
export function modelLimits(model: string | null, prices: readonly Price[]): ModelLimits | null {
  if (model === null) return null;
  const known = findConfiguredPrice(model, [...prices, ...PRICES.prices]);
  if (known?.contextMax === undefined || known.outputMax === undefined) return null;
  return { context: known.contextMax, output: known.outputMax };
}
