import type { ModelLimits } from '../../adapters/adapter.ts';
import type { Price } from '../../gateway/budget/prices.ts';
import { PRICES } from '../../gateway/budget/price-table.ts';
import { findPrice } from '../../gateway/budget/prices.ts';

/** Null: the model is in no table, or its row does not say. */
export function modelLimits(model: string | null, prices: readonly Price[]): ModelLimits | null {
  if (model === null) return null;
  const known = findPrice(model.split('/').at(-1) ?? '', [...prices, ...PRICES.prices]);
  if (known?.contextMax === undefined || known.outputMax === undefined) return null;
  return { context: known.contextMax, output: known.outputMax };
}
