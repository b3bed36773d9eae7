import type { ModelLimits } from '../agents/adapter.ts';
import type { Price } from '../gateway/prices.ts';
import { PRICES, priceOf } from '../gateway/prices.ts';

/** Null: the model is in no table, or its row does not say. */
export function limitsOf(model: string | null, prices: readonly Price[]): ModelLimits | null {
  if (model === null) return null;
  const known = priceOf(model.split('/').at(-1) ?? '', [...prices, ...PRICES.prices]);
  if (known?.contextMax === undefined || known.outputMax === undefined) return null;
  return { context: known.contextMax, output: known.outputMax };
}
