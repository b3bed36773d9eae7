/** The prices of models, as scripts read them. */
import { z } from 'zod';
import { documentSchema, field } from './document.ts';
import { commandError } from './error-document.ts';

const rate = field(z.number(), 'US dollars for a million tokens.');

const PriceRow = z.strictObject({
  model: z.string(),
  input_usd: rate,
  output_usd: rate,
  cached_usd: rate,
  cache_write_usd: rate,
  source: z.enum(['settings', 'yours', 'installed', 'shipped']),
  date: field(z.string().nullable(), 'The day of the price. Null: not known.'),
});
export type PriceRow = z.infer<typeof PriceRow>;

export const PricesDocument = documentSchema('prices', 'Prices of models.', {
  prices: z.array(PriceRow),
});

export const PricesUpdateDocument = documentSchema('prices-update', 'A table was installed.', {
  date: z.string(),
  models: field(z.int(), 'The number of prices in the table.'),
  added: z.array(z.string()),
  changed: z.array(z.string()),
});

export const PricesCheckDocument = documentSchema('prices-check', 'Which models have a price.', {
  date: field(z.string(), 'The day of the newest table.'),
  age_days: z.int(),
  old_after_days: z.int(),
  models: z.array(
    z.strictObject({
      model: z.string(),
      used_by: z.array(z.string()),
      price: field(
        z.enum(['known', 'unknown', 'alias']),
        'alias: a short name. Its model is known only from its calls.',
      ),
    }),
  ),
  own: field(z.array(z.string()), 'The models whose price you have set.'),
  error: commandError,
});
