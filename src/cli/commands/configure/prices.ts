/** The command that shows and changes the prices of models. It needs no owner: it only reads and writes the home. */
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { userHomeFolder } from '../../../host/machine/account-home.ts';
import { defined } from '../../../base/defined.ts';
import { Refusal } from '../../../base/errors.ts';
import { plural } from '../../../base/text.ts';
import { TEXT_BYTES_MAX } from '../../../yaml/read-yaml.ts';
import { loadSettings } from '../../../config/load-settings.ts';
import { AGENT_CLI_FACTS } from '../../../doctor/supported-clis.ts';
import { checkPrices } from '../../../prices/check-prices.ts';
import type { ModelUse } from '../../../prices/check-prices.ts';
import { findConfiguredPrice, findPrice, priceName } from '../../../prices/price.ts';
import type { Price } from '../../../prices/price.ts';
import { toDay } from '../../../prices/price-file.ts';
import { PRICES } from '../../../prices/shipped-prices.ts';
import { setPriceCommand } from '../../../protocol/words/price-command.ts';
import type { KnownPrice } from '../../../prices/user-prices.ts';
import {
  installPriceTable,
  knownPrices,
  parsePriceTable,
  readUserPrices,
  setOwnPrice,
} from '../../../prices/user-prices.ts';
import { readTextFile } from '../../../host/files/read-text-file.ts';
import { openTrusted, UNTRUSTED_OPTION } from '../../ask/ask-trust.ts';
import type { CliContext } from '../../cli-context.ts';
import { printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { stateHome } from '../../connect-owner.ts';
import { PROJECT_OPTION, projectDir } from '../../input/project-path.ts';
import { EXIT } from '../../exit-codes.ts';
import {
  priceCheckDocument,
  priceCheckLines,
  priceLines,
  pricesDocument,
} from '../../format/price-lines.ts';
import { readGivenFile } from '../../input/read-given-file.ts';
import { printJson } from '../../json/print-json.ts';
import { wholeNumber } from '../../options.ts';

type Json = { readonly json: boolean };
type SetOptions = Json & {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly outputMax?: number;
};
type CheckOptions = Json & { readonly project?: string; readonly untrusted: boolean };

const HELP = `
Prices are US dollars for a million tokens. The first of these places that names a model counts:
  1. gateway.prices in your settings, as they were when the run was submitted
  2. your own prices (prices set)
  3. the newer of the table that you installed (prices update) and the shipped table.
Places 2 and 3 are read again for each attempt, so a price that you set also holds for a run that waits.
Your prices are stored in prices.json in the home of Supervisor. A project can't change a price.

Examples:
  supervisor prices
  supervisor prices show gpt-6.1-sol
  supervisor prices set house-model --input 0.5 --output 2
  supervisor prices unset house-model
  supervisor prices update prices.json
  supervisor prices check`;

export function addPrices(program: Command, context: CliContext, finish: CommandEnding): void {
  const prices = program
    .command('prices')
    .description('Show and change the prices of models, which budgets in US dollars need')
    .addHelpText('after', HELP);
  addShow(prices, context, finish);
  addSet(prices, context, finish);
  addUpdate(prices, context, finish);
  addCheck(prices, context, finish);
}

function addShow(prices: Command, context: CliContext, finish: CommandEnding): void {
  prices
    .command('show', { isDefault: true })
    .description('List the prices, or show the price of one model')
    .argument('[model]', 'the name of the model')
    .option('--json', 'print JSON')
    .action(async (model: string | undefined, { json }: Json) => {
      const { dir } = stateHome(context);
      const known = knownPrices(await readUserPrices(dir), { settings: await settingsPrices(dir) });
      if (model === undefined) {
        showPrices(context, known, json);
        return finish(EXIT.ok);
      }
      const found = findConfiguredPrice(
        model,
        known.map(({ price }) => price),
      );
      const row = known.find(({ price }) => price === found);
      if (row === undefined) throw noPrice(model);
      showPrices(context, [row], json);
      finish(EXIT.ok);
    });
}

function addSet(prices: Command, context: CliContext, finish: CommandEnding): void {
  prices
    .command('set')
    .description('Set your own price of a model, in US dollars for a million tokens')
    .argument('<model>', 'the name of the model, as the agent calls it')
    .requiredOption('--input <usd>', 'input tokens', rate)
    .requiredOption('--output <usd>', 'output tokens', rate)
    .option('--cached <usd>', 'input tokens from a cache (default: as --input)', rate)
    .option('--cache-write <usd>', 'tokens written to a cache (default: as --input)', rate)
    .option('--output-max <tokens>', 'the longest answer (default: 128000)', wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  supervisor prices set house-model --input 0.5 --output 2')
    .action(async (model: string, options: SetOptions) => {
      const { input, output, cached, cacheWrite, outputMax } = options;
      const home = stateHome(context).dir;
      const fixed = findPrice(model, await settingsPrices(home));
      await setOwnPrice({ home, clock: context.clock }, model, {
        set: toDay(context.clock.now()),
        model,
        input,
        output,
        ...defined({ cached, cache_write: cacheWrite, output_max: outputMax }),
      });
      if (fixed !== undefined) context.err(`${printable(overridden(home, fixed.model))}\n`);
      await reportRow(context, home, model, options);
      finish(EXIT.ok);
    });
  prices
    .command('unset')
    .description('Remove your own price of a model')
    .argument('<model>', 'the name of the model')
    .option('--json', 'print JSON')
    .action(async (model: string, options: Json) => {
      const home = stateHome(context).dir;
      const { own } = await readUserPrices(home);
      if (!own.some((one) => priceName(one.model) === priceName(model)))
        throw new Refusal({
          code: 'usage.invalid',
          message: `You have set no price of ${JSON.stringify(model)}.`,
          hint: 'List the prices with: supervisor prices',
        });
      await setOwnPrice({ home, clock: context.clock }, model, null);
      await reportRow(context, home, model, options);
      finish(EXIT.ok);
    });
}

function addUpdate(prices: Command, context: CliContext, finish: CommandEnding): void {
  prices
    .command('update')
    .description('Install a newer table of prices from a file, without a new release')
    .argument('<file>', 'a table in the format of config/prices.json; - reads standard input')
    .option('--older', 'install it although it is older than the prices in use')
    .option('--json', 'print JSON')
    .action(async (file: string, { older = false, json }: Json & { readonly older?: boolean }) => {
      const home = stateHome(context).dir;
      const text = await textOf(context, file);
      const { table: given, written } = parsePriceTable(text, file, context.clock.now());
      const before = await readUserPrices(home);
      const newest = [PRICES.date, before.table?.date ?? ''].toSorted().at(-1) ?? '';
      if (given.date < newest && !older)
        throw new Refusal({
          code: 'usage.invalid',
          message: `${file} is of ${given.date}, and the prices in use are of ${newest}. Nothing was changed.`,
          hint: 'Use a newer file, or install this one with --older.',
        });
      await installPriceTable({ home, clock: context.clock }, written);
      const after = knownPrices(await readUserPrices(home));
      const changes = changedModels(knownPrices(before), after);
      const schema = 'supervisor.prices-update/1';
      const result = { schema, date: given.date, models: given.prices.length, ...changes } as const;
      const { added, changed } = changes;
      const sentence = `Installed ${plural(given.prices.length, 'price')} of ${given.date}: ${added.length} new, ${changed.length} changed.`;
      const hidden =
        given.date < PRICES.date
          ? ` The shipped table is of ${PRICES.date}. It counts for the models that it names.`
          : '';
      if (json) printJson(context, result);
      else context.out(`${printable(sentence)}${hidden}\n`);
      finish(EXIT.ok);
    });
}

function addCheck(prices: Command, context: CliContext, finish: CommandEnding): void {
  prices
    .command('check')
    .description('Check whether the models of your agents have a price, and how old the prices are')
    .option(...PROJECT_OPTION)
    .option(...UNTRUSTED_OPTION)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit codes: 0 all have a price, 1 a price is missing.')
    .action(async ({ project, untrusted, json }: CheckOptions) => {
      const home = stateHome(context).dir;
      const { settings } = await loadSettings({
        home,
        project: await openTrusted(context, projectDir(context, project), { untrusted }),
        userDir: userHomeFolder(),
        readFile: readTextFile,
      });
      const user = await readUserPrices(home);
      const uses: readonly ModelUse[] = [
        ...settings.agents.flatMap(({ id, model }) => (model ? [{ by: id, model }] : [])),
        ...AGENT_CLI_FACTS.flatMap(({ cli, tried, defaultModels }) =>
          defaultModels.map((model) => ({ by: `${cli} ${tried} by default`, model })),
        ),
      ];
      const found = checkPrices(uses, {
        user,
        settings: settings.gateway.prices,
        now: context.clock.now(),
      });
      if (json) printJson(context, priceCheckDocument(found));
      else context.out(priceCheckLines(context, home, found));
      finish(found.models.some(({ price }) => price === 'unknown') ? EXIT.failed : EXIT.ok);
    });
}

async function textOf(context: CliContext, file: string): Promise<string> {
  if (file === '-') return context.stdin();
  const hint = 'Name a table in the format of config/prices.json.';
  return readGivenFile(context.cwd, file, { bytesMax: TEXT_BYTES_MAX, hint });
}

/** Only the user's own settings may name a price, so no project is read. */
async function settingsPrices(home: string): Promise<readonly Price[]> {
  const loaded = await loadSettings({ home, userDir: userHomeFolder(), readFile: readTextFile });
  return loaded.settings.gateway.prices;
}

function overridden(home: string, model: string): string {
  const file = join(home, 'config.yaml');
  return `warning: Your price is stored, but gateway.prices in ${file} names ${model} and counts first. Remove that row.`;
}

/** What holds now for this model. */
async function reportRow(
  context: CliContext,
  home: string,
  model: string,
  { json }: Json,
): Promise<void> {
  const settings = await settingsPrices(home);
  const known = knownPrices(await readUserPrices(home), { settings });
  const row = known.find(({ price }) => priceName(price.model) === priceName(model));
  if (row === undefined && !json) context.out(`${printable(model)} has no price now.\n`);
  else showPrices(context, row === undefined ? [] : [row], json);
}

function showPrices(context: CliContext, rows: readonly KnownPrice[], json: boolean): void {
  if (json) printJson(context, pricesDocument(rows));
  else context.out(priceLines(context, rows));
}

function changedModels(before: readonly KnownPrice[], after: readonly KnownPrice[]) {
  const old = new Map(before.map(({ price }) => [price.model, JSON.stringify(price)]));
  const now = after.map(({ price }) => ({ model: price.model, text: JSON.stringify(price) }));
  const added = now.filter(({ model }) => !old.has(model)).map(({ model }) => model);
  const changed = now
    .filter(({ model, text }) => old.has(model) && old.get(model) !== text)
    .map(({ model }) => model);
  return { added, changed };
}

function rate(text: string): number {
  const usd = Number(text);
  if (text.trim() !== '' && usd >= 0 && usd <= 10_000) return usd;
  throw new InvalidArgumentError('Use US dollars for a million tokens, from 0 to 10000.');
}

function noPrice(model: string): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `The price of ${JSON.stringify(model)} is unknown.`,
    hint: `Set it with: ${setPriceCommand(model)}`,
  });
}
