/** Reads TOML files of other tools as plain values: two spellings of one value are the same. */
import { parse } from 'smol-toml';
import { isRecord, parseJson } from '../base/json.ts';

const CHARS_MAX = 2_000_000;
const NESTING_MAX = 200;

export type TomlTable = Readonly<Record<string, unknown>>;

/**
 * The table of a text, with dates as strings. Undefined if it is not TOML, far too large or nested
 * too deeply. Never throws.
 */
export function parseToml(text: string): TomlTable | undefined {
  if (text.length > CHARS_MAX) return undefined;
  try {
    const table = parse(text.replace(/^\uFEFF/, ''), {
      integersAsBigInt: 'asNeeded',
      maxDepth: NESTING_MAX,
    });
    // As JSON, so that dates and large numbers can be compared, and too deep nesting is found here.
    const plain = parseJson(
      JSON.stringify(table, (_, value: unknown) =>
        typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))
          ? String(value)
          : value,
      ),
    );
    return isRecord(plain) ? plain : undefined;
  } catch {
    return undefined; // text becomes a value here: "not TOML" is a result, not an error
  }
}

/** The table at a path of keys; empty if there is none. */
export function tableAt(table: TomlTable, ...keys: readonly string[]): TomlTable {
  let at: unknown = table;
  for (const key of keys) at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return isRecord(at) ? at : {};
}

/** The same table without these keys. */
export function without(table: TomlTable, keys: ReadonlySet<string>): TomlTable {
  return Object.fromEntries(Object.entries(table).filter(([key]) => !keys.has(key)));
}
