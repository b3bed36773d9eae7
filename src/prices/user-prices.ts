/**
 * The user's own prices: `prices.json` in their home. A price that they set overrides every table. A table that they
 * installed overrides the shipped one unless the shipped one is newer. A project has no part in it.
 */
import { join } from 'node:path';
import { isRecord } from '../base/json.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import type { OwnPriceInput } from './price-file.ts';
import { PriceTableFile, UserPriceFile } from './price-file.ts';
import type { Problem } from '../yaml/problem.ts';
import { yamlRefusal } from '../yaml/problem.ts';
import { readYaml, TEXT_BYTES_MAX } from '../yaml/read-yaml.ts';
import type { Issue } from '../yaml/schema-faults.ts';
import { schemaFaults } from '../yaml/schema-faults.ts';
import { toValue } from '../yaml/yaml-tree.ts';
import type { YamlTree } from '../yaml/yaml-tree.ts';
import { PRICES } from './shipped-prices.ts';
import type { PriceTable } from './shipped-prices.ts';
import { priceName } from './price.ts';
import type { Price } from './price.ts';

type OwnPrice = Price & { /** The day on which the user set it. */ readonly set: string };

export type UserPrices = { readonly own: readonly OwnPrice[]; readonly table: PriceTable | null };

const NONE: UserPrices = { own: [], table: null };

/** Where a price comes from, and the day to which it was true. */
type PriceOrigin =
  | { readonly kind: 'own'; readonly date: string }
  | { readonly kind: 'installed'; readonly date: string }
  | { readonly kind: 'shipped'; readonly date: string };

export type KnownPrice = { readonly price: Price; readonly origin: PriceOrigin };

export function userPricesPath(home: string): string {
  return join(home, 'prices.json');
}

/** Refuses a file that is not as it should be: a wrong price would make a budget wrong. */
export async function readUserPrices(home: string): Promise<UserPrices> {
  const file = userPricesPath(home);
  const text = await readTextFile(file, TEXT_BYTES_MAX);
  if (text === undefined) return NONE;
  const { own = [], table = null } = parseAs(UserPriceFile, text, file);
  return { own, table };
}

/** A table in the format of the shipped one, and the value as it was written. */
export function parsePriceTable(
  text: string,
  file: string,
): { readonly table: PriceTable; readonly written: unknown } {
  const table = parseAs(PriceTableFile, text, file);
  return { table, written: toValue(readTree(text, file)) };
}

/** Every price, by the order in which they count. One row for each model. */
export function knownPrices(
  { own, table }: UserPrices,
  shipped: PriceTable = PRICES,
): readonly KnownPrice[] {
  const tables = [
    ...(table === null ? [] : [{ kind: 'installed' as const, table }]),
    { kind: 'shipped' as const, table: shipped },
  ].toSorted((a, b) => (a.table.date < b.table.date ? 1 : a.table.date > b.table.date ? -1 : 0));
  const all: KnownPrice[] = [
    ...own.map(({ set, ...price }) => ({ price, origin: { kind: 'own' as const, date: set } })),
    ...tables.flatMap(({ kind, table: { date, prices } }) =>
      prices.map((price) => ({ price, origin: { kind, date } })),
    ),
  ];
  const seen = new Set<string>();
  return all.filter(({ price }) => {
    const name = priceName(price.model);
    return !seen.has(name) && seen.add(name);
  });
}

/** The prices that override the shipped table, which a gateway knows by itself. */
export async function overridingPrices(home: string): Promise<readonly Price[]> {
  return knownPrices(await readUserPrices(home))
    .filter(({ origin }) => origin.kind !== 'shipped')
    .map(({ price }) => price);
}

/** Replaces the user's price of one model, under the name by which it is found. Null: removes it. */
export async function setOwnPrice(
  home: string,
  model: string,
  row: OwnPriceInput | null,
): Promise<void> {
  const name = priceName(model);
  await change(home, (written) => ({
    ...written,
    own: [
      ...listOf(written['own']).filter((one) => !isRecord(one) || !isNamed(one['model'], name)),
      ...(row === null ? [] : [{ ...row, model: name }]),
    ],
  }));
}

function isNamed(model: unknown, name: string): boolean {
  return typeof model === 'string' && priceName(model) === name;
}

/** Replaces the installed table. Null: removes it. */
export async function installPriceTable(home: string, table: unknown): Promise<void> {
  await change(home, (written) => ({ ...written, table: table ?? undefined }));
}

type WrittenFile = { readonly [key: string]: unknown };

/** Changes the file as it was written, so that nothing in it gets lost. */
async function change(home: string, edit: (written: WrittenFile) => WrittenFile): Promise<void> {
  const file = userPricesPath(home);
  const text = (await readTextFile(file, TEXT_BYTES_MAX)) ?? '{}';
  parseAs(UserPriceFile, text, file);
  const written = toValue(readTree(text, file));
  const edited = `${JSON.stringify(edit(isRecord(written) ? written : {}), null, 2)}\n`;
  parseAs(UserPriceFile, edited, file);
  await ensurePrivateDir(home);
  await writeFileAtomic(file, edited);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

type Schema<Output> = {
  safeParse(
    value: unknown,
  ): { success: true; data: Output } | { success: false; error: { issues: readonly Issue[] } };
};

function parseAs<Output>(schema: Schema<Output>, text: string, file: string): Output {
  const tree = readTree(text, file);
  const result = schema.safeParse(toValue(tree));
  if (result.success) return result.data;
  throw refused(schemaFaults(tree, result.error.issues, {}));
}

/** JSON is a part of YAML, and its reader knows lines and columns. */
function readTree(text: string, file: string): YamlTree {
  const { tree, problems } = readYaml(text, (line, column) => ({ file, line, column }));
  if (problems.length > 0) throw refused(problems);
  return tree;
}

function refused(problems: readonly Problem[]): Error {
  return yamlRefusal(problems, {
    code: 'config.invalid',
    hint: 'Fix the file, or move it away. The format is that of config/prices.json in the package.',
  });
}
