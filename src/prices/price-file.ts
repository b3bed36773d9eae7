/** Schemas of price tables: the one that is shipped, and the user's own in their home. */
import { z } from 'zod';
import { defined } from '../base/defined.ts';

const KEYS = { error: 'keys with values' };

function amount(min: number, max: number): z.ZodNumber {
  const error = `a number from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
}

function whole(min: number, max: number): z.ZodInt {
  const error = `a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

function text(min: number, max: number, error: string): z.ZodString {
  return z.string({ error }).min(min, { error }).max(max, { error });
}

const rate = amount(0, 10_000);
const factor = amount(1, 100).optional();
const tokens = whole(1, 100_000_000).optional();

const rateKeys = {
  input: rate.describe('US dollars per million input tokens; required.'),
  output: rate.describe('US dollars per million output tokens; required.'),
  cached: rate.optional().describe('Input tokens from a cache. Default: as input.'),
  cache_write: rate.optional().describe('Tokens written to a cache. Default: as input.'),
  cache_write_hour: rate
    .optional()
    .describe('Tokens written to a one-hour cache. Default: as cache_write.'),
};

const priceKeys = {
  model: text(1, 200, 'text of 1 to 200 characters').describe(
    'The name of the model, without the date of a snapshot; required.',
  ),
  ...rateKeys,
  context_max: tokens.describe('The size of its context in tokens.'),
  output_max: tokens.describe('The longest answer in tokens.'),
  fast: factor.describe('The factor that fast mode applies to each rate.'),
  priority: factor.describe('The factor that the priority tier applies to each rate.'),
  audio: rate.optional().describe('Input tokens of sound. Default: as input.'),
  long: z
    .strictObject({ over: whole(1, 100_000_000), ...rateKeys }, KEYS)
    .optional()
    .describe('Rates of a whole call whose input is longer than `over` tokens.'),
  note: text(0, 500, 'text of up to 500 characters').optional().describe('For readers only.'),
};

type Written = z.output<typeof WrittenPrice>;
const WrittenPrice = z.strictObject(priceKeys, KEYS);

function toRates(written: z.output<z.ZodObject<typeof rateKeys>>) {
  const { input, output, cached, cache_write, cache_write_hour } = written;
  return {
    input,
    output,
    ...defined({ cached, cacheWrite: cache_write, cacheWriteHour: cache_write_hour }),
  };
}

function toPrice(written: Written) {
  const { model, context_max, output_max, fast, priority, audio, long } = written;
  return {
    model,
    ...toRates(written),
    ...defined({ contextMax: context_max, outputMax: output_max, fast, priority, audio }),
    ...(long === undefined ? {} : { long: { over: long.over, ...toRates(long) } }),
  };
}

const DATE = { error: 'a date such as 2026-11-17' };
const date = z
  .string(DATE)
  .regex(/^\d{4}-\d{2}-\d{2}$/, DATE)
  .refine(isDay, DATE);

/** The parser of dates moves a day such as February 30 into the next month. */
function isDay(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && toDay(ms) === text;
}

export function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const ROWS_MAX = 500;

/** A dated table, as it is shipped and as `supervisor prices update` reads it. */
export const PriceTableFile = z.strictObject(
  {
    date: date.describe('The day on which a row was last added or changed.'),
    sources: z
      .array(text(1, 500, 'an address or a remark'), { error: 'a list of addresses' })
      .max(50, { error: 'up to 50 addresses' }),
    prices: z
      .array(WrittenPrice.transform(toPrice), { error: 'a list of prices' })
      .max(ROWS_MAX, { error: `up to ${ROWS_MAX} prices` }),
  },
  KEYS,
);

const DAY_MS = 86_400_000;

/** A table that is to be installed. Its date may be a day ahead, because of time zones. */
export function newPriceTableFile(now: number): z.ZodType<z.output<typeof PriceTableFile>> {
  const latest = toDay(now + DAY_MS);
  const error = `a date up to ${latest}, because it hides tables with an earlier date`;
  return PriceTableFile.refine((table) => table.date <= latest, { path: ['date'], error });
}

/** The file `prices.json` in the user's home. */
export const UserPriceFile = z.strictObject(
  {
    own: z
      .array(
        z
          .strictObject({ set: date, ...priceKeys }, KEYS)
          .transform(({ set, ...row }) => ({ set, ...toPrice(row) })),
        { error: 'a list of prices' },
      )
      .max(ROWS_MAX, { error: `up to ${ROWS_MAX} prices` })
      .optional()
      .describe('Prices that you set. They override every table.'),
    table: PriceTableFile.optional().describe('The last table that you installed.'),
  },
  KEYS,
);

export type OwnPriceInput = z.input<typeof WrittenPrice> & { readonly set: string };
