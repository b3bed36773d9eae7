/** Holds a tree to the schema, and says of each fault where it is, what was expected and what is there. */
import { AGENT_CLIS } from '../protocol/agent-config.ts';
import { ConfigFile, configFileJsonSchema } from '../protocol/config-file.ts';
import type { JsonSchema } from '../protocol/config-file.ts';
import { nearest } from './nearest.ts';
import { looksSecret, quote, where } from './problem.ts';
import type { Problem } from './problem.ts';
import { entryAt, pathText, toValue, treeAt } from './tree.ts';
import type { Path, Tree } from './tree.ts';

export type Checked =
  | { readonly kind: 'fits'; readonly config: ConfigFile }
  | { readonly kind: 'faulty'; readonly problems: readonly Problem[] };

export function checkTree(tree: Tree): Checked {
  const result = ConfigFile.safeParse(toValue(tree));
  if (result.success) return { kind: 'fits', config: result.data };
  const schema = configFileJsonSchema();
  const problems = result.error.issues.flatMap((issue): Problem[] => {
    if (issue.code === 'unrecognized_keys')
      return unknownKeys(tree, issue.path, issue.keys, knownKeys(schema, issue.path));
    if (issue.code === 'invalid_key')
      return [invalidKey(tree, issue.path, issue.issues[0]?.message ?? issue.message)];
    return [invalidValue(tree, issue.path, issue.message)];
  });
  return { kind: 'faulty', problems };
}

function unknownKeys(
  tree: Tree,
  path: Path,
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

function suggest(meant: string | undefined): string {
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`;
}

function knownKeys(schema: JsonSchema, path: Path): readonly string[] {
  let at: JsonSchema | undefined = schema;
  for (const step of path)
    at = typeof step === 'number' ? at?.items : at?.properties?.[String(step)];
  return Object.keys(at?.properties ?? {});
}

function invalidKey(tree: Tree, path: Path, expected: string): Problem {
  const [parent, key] = [path.slice(0, -1), String(path.at(-1))];
  return {
    place: keyPlace(tree, parent, key),
    key: pathText(path),
    message: `the key ${quote(key)} in ${pathText(parent)}: expected ${expected}`,
  };
}

function invalidValue(tree: Tree, path: Path, expected: string): Problem {
  const key = pathText(path);
  const found = treeAt(tree, path);
  const absent = found === undefined || toValue(found) === null;
  if (absent && typeof path.at(-1) === 'string') {
    const [parent, name] = [path.slice(0, -1), String(path.at(-1))];
    const message = `${pathText(parent)} has no ${name}: expected ${expected}`;
    return { place: keyPlace(tree, parent, name), key, message };
  }
  const subject = key === '' ? '' : `${key}: `;
  const message = `${subject}expected ${expected}, found ${describe(found, path)}`;
  return { place: (found ?? tree).place, key, message };
}

/** Where the key stands, or the map that lacks it. */
function keyPlace(tree: Tree, parent: Path, key: string): Problem['place'] {
  const map = treeAt(tree, parent) ?? tree;
  return entryAt(map, key)?.place ?? map.place;
}

function describe(found: Tree | undefined, path: Path): string {
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

/** Whether the value at this path must not be printed. Names count inside `env` only. */
export function isSecret(path: Path, value: unknown): boolean {
  const variable = path.at(-2) === 'env' ? String(path.at(-1)) : '';
  return looksSecret(variable, String(value));
}

/** What no single file can know: that names are taken once, and that a name has its agent. */
export function checkNames(tree: Tree, config: ConfigFile): readonly Problem[] {
  const problems: Problem[] = [];
  const taken = new Map<string, string>();
  for (const [index, { id }] of config.agents.entries()) {
    const path = ['agents', index, 'id'];
    const { place } = treeAt(tree, path) ?? tree;
    const first = taken.get(id);
    if (first === undefined) taken.set(id, where(place));
    else
      problems.push({
        place,
        key: pathText(path),
        message: `${pathText(path)}: the name "${id}" is already taken at ${first}`,
      });
  }
  const builtIn = AGENT_CLIS.filter((cli) => cli !== 'custom');
  const known = [...taken.keys(), ...builtIn];
  const { default_agent: chosen } = config;
  if (chosen !== undefined && !known.includes(chosen)) {
    const meant = nearest(chosen, known);
    problems.push({
      place: (treeAt(tree, ['default_agent']) ?? tree).place,
      key: 'default_agent',
      message: `default_agent: no agent is called ${quote(chosen)}${suggest(meant)}`,
      nearest: meant,
    });
  }
  return problems;
}
