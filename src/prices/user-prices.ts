/**
 * The user's own prices: `prices.json` in their home. A price that they set overrides every table. A table that they
 * installed overrides the shipped one unless the shipped one is newer. A project has no part in it.
 */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { describeHolder, takeLock } from '../host/files/lock-file.ts';
import type { OwnPriceInput } from './price-file.ts';
import { newPriceTableFile, UserPriceFile } from './price-file.ts';
import { readPriceFile } from './read-price-file.ts';
import type { Problem } from '../yaml/problem.ts';
import { yamlRefusal } from '../yaml/problem.ts';
import { readYaml } from '../yaml/read-yaml.ts';
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

/** The home that holds the file. */
type PricesPlace = { readonly home: string; readonly clock: Clock };

const LOCK_WAIT_MS = 50;
const LOCK_TRIES_MAX = 200;

const NONE: UserPrices = { own: [], table: null };

/** Where a price comes from, and the day to which it was true. Settings have no date. */
type PriceOrigin =
  | { readonly kind: 'settings'; readonly date: null }
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
  const text = await readPriceFile(file);
  if (text === undefined) return NONE;
  const { own = [], table = null } = parseAs(UserPriceFile, text, file);
  return { own, table };
}

/**
 * A table in the format of the shipped one, and the value as it was written. A table whose date is in the future is
 * refused: it would hide every later one.
 */
export function parsePriceTable(
  text: string,
  file: string,
  now: number,
): { readonly table: PriceTable; readonly written: unknown } {
  const table = parseAs(newPriceTableFile(now), text, file);
  return { table, written: toValue(readTree(text, file)) };
}

type OtherPrices = {
  /** `gateway.prices` of the user's settings. */
  readonly settings?: readonly Price[];
  readonly shipped?: PriceTable;
};

/** Every price, by the order in which they count. One row for each model. */
export function knownPrices(
  { own, table }: UserPrices,
  { settings = [], shipped = PRICES }: OtherPrices = {},
): readonly KnownPrice[] {
  const tables = [
    ...(table === null ? [] : [{ kind: 'installed' as const, table }]),
    { kind: 'shipped' as const, table: shipped },
  ].toSorted((a, b) => (a.table.date < b.table.date ? 1 : a.table.date > b.table.date ? -1 : 0));
  const all: KnownPrice[] = [
    ...settings.map((price) => ({ price, origin: { kind: 'settings' as const, date: null } })),
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
  place: PricesPlace,
  model: string,
  row: OwnPriceInput | null,
): Promise<void> {
  const name = priceName(model);
  await change(place, (written) => ({
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
export async function installPriceTable(place: PricesPlace, table: unknown): Promise<void> {
  await change(place, (written) => ({ ...written, table: table ?? undefined }));
}

type WrittenFile = { readonly [key: string]: unknown };

/** Changes the file as it was written, so that nothing in it gets lost, not even a change at the same moment. */
async function change(
  { home, clock }: PricesPlace,
  edit: (written: WrittenFile) => WrittenFile,
): Promise<void> {
  await ensurePrivateDir(home);
  const release = await lockPrices(home, clock);
  try {
    await changeLocked(userPricesPath(home), edit);
  } finally {
    release();
  }
}

async function changeLocked(
  file: string,
  edit: (written: WrittenFile) => WrittenFile,
): Promise<void> {
  const text = (await readPriceFile(file)) ?? '{}';
  parseAs(UserPriceFile, text, file);
  const written = toValue(readTree(text, file));
  const edited = `${JSON.stringify(edit(isRecord(written) ? written : {}), null, 2)}\n`;
  parseAs(UserPriceFile, edited, file);
  await writeFileAtomic(file, edited);
}

/** A change takes milliseconds, so another one is soon done. */
async function lockPrices(home: string, clock: Clock): Promise<() => void> {
  for (let tries = 1; ; tries += 1) {
    const lock = await takeLock(join(home, 'prices.lock'), { clock, purpose: 'prices' });
    if (lock.kind === 'taken') return lock.release;
    if (tries >= LOCK_TRIES_MAX)
      throw new Refusal({
        code: 'config.busy',
        message: `The prices in ${home} are being changed in ${describeHolder(lock.by)}. Nothing was changed.`,
        hint: 'Try again when that is done.',
      });
    await clock.sleep(LOCK_WAIT_MS);
  }
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
