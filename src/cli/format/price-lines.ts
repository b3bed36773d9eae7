/** Prices of models, and the check of them, as text and as JSON. */
import { plural } from '../../base/text.ts';
import type { PriceCheck } from '../../prices/check-prices.ts';
import type { KnownPrice } from '../../prices/user-prices.ts';
import { userPricesPath } from '../../prices/user-prices.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import type { ErrorFields } from '../../public-json/error-document.ts';
import { simpleError } from '../../public-json/error-document.ts';
import { joinCells, layOutTable } from './text-table.ts';
import type { PriceRow } from '../../public-json/price-documents.ts';
import { setPriceCommand } from '../../protocol/words/price-command.ts';
import type { JsonDocument } from '../../public-json/documents.ts';

const ORIGINS = {
  settings: 'settings',
  own: 'yours',
  installed: 'installed',
  shipped: 'shipped',
} as const;

export function pricesDocument(rows: readonly KnownPrice[]): JsonDocument<'prices'> {
  return { schema: 'supervisor.prices/1', prices: rows.map(priceJson) };
}

function priceJson({ price, origin }: KnownPrice): PriceRow {
  const { model, input, output, cached = input, cacheWrite = input } = price;
  return {
    model,
    input_usd: input,
    output_usd: output,
    cached_usd: cached,
    cache_write_usd: cacheWrite,
    source: ORIGINS[origin.kind],
    date: origin.date,
  };
}

export function priceLines(context: CliContext, rows: readonly KnownPrice[]): string {
  const columns = [
    { title: 'model', least: 16 },
    { title: 'input', isRight: true },
    { title: 'cached', isRight: true },
    { title: 'output', isRight: true },
    { title: 'source', least: 8 },
  ] as const;
  const table = layOutTable(
    context.terminal,
    columns,
    rows.map(({ price, origin }) => {
      const { model, input, output, cached = input } = price;
      const source = [ORIGINS[origin.kind], origin.date ?? 'gateway.prices'].join(', ');
      return [printable(model), ...[input, cached, output].map(String), source];
    }),
  );
  const lines = table.rows.map(([model = '', ...cells]) =>
    joinCells([
      paint(context, 'cyan', model),
      ...cells.slice(0, -1),
      paint(context, 'dim', (cells.at(-1) ?? '').trimEnd()),
    ]),
  );
  const note = paint(context, 'dim', 'US dollars for a million tokens');
  return `${[paint(context, 'bold', joinCells(table.head)), ...lines, note].join('\n')}\n`;
}

export function priceCheckDocument({
  date,
  ageDays,
  oldAfterDays,
  models,
  own,
}: PriceCheck): JsonDocument<'prices-check'> {
  return {
    schema: 'supervisor.prices-check/1',
    date,
    age_days: ageDays,
    old_after_days: oldAfterDays,
    models: models.map(({ model, by, price }) => ({ model, used_by: [...by], price })),
    own: [...own],
    error: missingPrice(models),
  };
}

function missingPrice(models: PriceCheck['models']): ErrorFields | null {
  const unknown = models.filter(({ price }) => price === 'unknown').map(({ model }) => model);
  if (unknown.length === 0) return null;
  const message = `The price of ${unknown.join(', ')} is unknown.`;
  const remedy = `Set it with: ${setPriceCommand(unknown[0])}`;
  return simpleError('price.unknown', message, remedy);
}

export function priceCheckLines(context: CliContext, home: string, found: PriceCheck): string {
  const width = Math.max(5, ...found.models.map(({ model }) => model.length));
  const lines = found.models.map(({ model, by, price }) => {
    const mark = { known: '✓', unknown: '✗', alias: '?' }[price];
    const style = { known: 'green', unknown: 'red', alias: 'yellow' } as const;
    const words = {
      known: 'has a price',
      unknown: 'has no price',
      alias: 'is a short name: its model is known only from its calls',
    }[price];
    const name = printable(model).padEnd(width);
    return `${paint(context, style[price], mark)} ${name}  ${words} ${paint(context, 'dim', `(${printable(by.join(', '))})`)}`;
  });
  const missing = found.models.filter(({ price }) => price === 'unknown').map(({ model }) => model);
  return `${[
    `Prices of ${found.date}, ${plural(found.ageDays, 'day')} old${found.ageDays > found.oldAfterDays ? paint(context, 'yellow', '. They may have changed: supervisor prices update FILE') : ''}`,
    ...(found.own.length === 0
      ? []
      : [`Your own prices, in ${userPricesPath(home)}: ${printable(found.own.join(', '))}`]),
    '',
    ...lines,
    ...(missing.length > 0
      ? [
          '',
          `Set ${missing.length === 1 ? 'the missing price' : 'a missing price'} with: ${setPriceCommand(missing[0])}`,
          'Without it, a run with a budget in US dollars asks you at its first call.',
        ]
      : []),
  ].join('\n')}\n`;
}
