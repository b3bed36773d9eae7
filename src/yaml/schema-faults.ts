/** Turns schema issues into problems: where, what was expected, and what was found. */
import { nearest } from './nearest.ts';
import { looksSecret, quote } from './problem.ts';
import type { Problem } from './problem.ts';
import { entryAt, pathText, toValue, treeAt } from './yaml-tree.ts';
import type { YamlPath, YamlTree } from './yaml-tree.ts';

/** One issue of a `zod` schema. Its message is the text after "expected". */
export type Issue = {
  readonly code?: string | undefined;
  readonly path: YamlPath;
  readonly message: string;
  readonly keys?: readonly string[];
  readonly issues?: readonly { readonly message: string }[];
};

/** The part of a JSON Schema that names the known keys. */
type KeySchema = {
  readonly properties?: Readonly<Record<string, KeySchema>>;
  readonly items?: KeySchema;
  /** Of a map whose keys are names. */
  readonly additionalProperties?: boolean | KeySchema;
};

export function schemaFaults(
  tree: YamlTree,
  issues: readonly Issue[],
  schema: KeySchema,
): Problem[] {
  return issues.flatMap((issue): Problem[] => {
    const { code, path, keys = [], message } = issue;
    if (code === 'unrecognized_keys') return unknownKeys(tree, path, keys, knownKeys(schema, path));
    if (code === 'invalid_key')
      return [invalidKey(tree, path, issue.issues?.[0]?.message ?? message)];
    return [invalidValue(tree, path, message)];
  });
}

function unknownKeys(
  tree: YamlTree,
  path: YamlPath,
  keys: readonly string[],
  known: readonly string[],
): Problem[] {
  const map = treeAt(tree, path) ?? tree;
  const entries = map.kind === 'map' ? map.entries : [];
  const places = new Map(entries.map(({ key, place }) => [key, place]));
  const inside = path.length === 0 ? '' : ` in ${pathText(path)}`;
  return keys.map((key) => {
    const meant = nearest(key, known);
    return {
      place: places.get(key) ?? map.place,
      key: pathText([...path, key]),
      message: `unknown key ${quote(key)}${inside}${suggest(meant)}`,
      nearest: meant,
    };
  });
}

/** The suggestion after an unknown name. */
export function suggest(meant: string | undefined): string {
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`;
}

function knownKeys(schema: KeySchema, path: YamlPath): readonly string[] {
  let at: KeySchema | undefined = schema;
  for (const step of path) {
    const named: boolean | KeySchema | undefined = at?.additionalProperties;
    at =
      typeof step === 'number'
        ? at?.items
        : (at?.properties?.[String(step)] ?? (typeof named === 'object' ? named : undefined));
  }
  return Object.keys(at?.properties ?? {});
}

function invalidKey(tree: YamlTree, path: YamlPath, expected: string): Problem {
  const [parent, key] = [path.slice(0, -1), String(path.at(-1))];
  return {
    place: keyPlace(tree, parent, key),
    key: pathText(path),
    message: `the key ${quote(key)} in ${pathText(parent)}: expected ${expected}`,
  };
}

function invalidValue(tree: YamlTree, path: YamlPath, expected: string): Problem {
  const key = pathText(path);
  const found = treeAt(tree, path);
  const absent = found === undefined || toValue(found) === null;
  if (absent && typeof path.at(-1) === 'string') {
    const [parent, name] = [path.slice(0, -1), String(path.at(-1))];
    const subject = parent.length === 0 ? 'the file' : pathText(parent);
    const message = `${subject} has no ${name}: expected ${expected}`;
    return { place: keyPlace(tree, parent, name), key, message };
  }
  const subject = key === '' ? '' : `${key}: `;
  const message = `${subject}expected ${expected}, found ${describe(found, path)}`;
  return { place: (found ?? tree).place, key, message };
}

/** The place of the key, or of the map that lacks it. */
function keyPlace(tree: YamlTree, parent: YamlPath, key: string): Problem['place'] {
  const map = treeAt(tree, parent) ?? tree;
  return entryAt(map, key)?.place ?? map.place;
}

function describe(found: YamlTree | undefined, path: YamlPath): string {
  switch (found?.kind) {
    case undefined:
    case 'empty':
      return 'nothing';
    case 'list':
      return `a list of ${found.items.length}`;
    case 'map':
      return 'keys with values';
    case 'scalar':
      if (isSecret(path, found.value)) return `a ${typeof found.value} that is not shown`;
      return typeof found.value === 'string' ? quote(found.value) : String(found.value);
  }
}

/** Whether the value at this path must not be printed. The name of a key matters only inside `env`. */
export function isSecret(path: YamlPath, value: unknown): boolean {
  const variable = path.at(-2) === 'env' ? String(path.at(-1)) : '';
  return looksSecret(variable, String(value));
}
