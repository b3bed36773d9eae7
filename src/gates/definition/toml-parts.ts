/** Manifests in TOML: what of them decides how the work is judged, compared as values and not as texts. */
import { isRecord } from '../../base/json.ts';
import type { TomlTable } from '../../toml/read-toml.ts';
import { parseToml, tableAt, without } from '../../toml/read-toml.ts';

const TOML = /(?:^|\/)(?:pyproject\.toml|Cargo\.toml|Pipfile)$/;

export function isTomlManifest(path: string): boolean {
  return TOML.test(path);
}

/** Whether the deciding part is the same. A text that can't be read is the same as itself only. */
export function isSameToml(path: string, textBefore: string, textAfter: string): boolean {
  const [before, after] = [parseToml(textBefore), parseToml(textAfter)];
  if (before === undefined || after === undefined) return textBefore === textAfter;
  const deciding = path.endsWith('Cargo.toml')
    ? (table: TomlTable) => cargoParts(table, before)
    : path.endsWith('Pipfile')
      ? (table: TomlTable) => without(table, HARMLESS_PIPFILE)
      : pythonParts;
  return JSON.stringify(deciding(before)) === JSON.stringify(deciding(after));
}

function splitWords(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

const HARMLESS_PIPFILE = splitWords('packages dev-packages source requires');
/** What is installed comes from the setup, so names, versions and dependencies decide nothing here. */
const HARMLESS_PROJECT = splitWords(
  'name version description readme license license-files authors maintainers keywords classifiers urls requires-python dependencies optional-dependencies scripts gui-scripts',
);
const HARMLESS_POETRY = splitWords(
  'name version description readme license authors maintainers keywords classifiers urls homepage repository documentation dependencies dev-dependencies group extras scripts source',
);

function pythonParts(table: TomlTable): unknown {
  const tool = tableAt(table, 'tool');
  const poetry = without(tableAt(tool, 'poetry'), HARMLESS_POETRY);
  const uv = without(tableAt(tool, 'uv'), splitWords('dev-dependencies sources index'));
  const tools = without(tool, splitWords('poetry uv'));
  return ordered([
    without(tableAt(table, 'project'), HARMLESS_PROJECT),
    [tools, poetry, uv],
    without(table, splitWords('project tool dependency-groups')),
  ]);
}

const HARMLESS_PACKAGE = splitWords(
  'version description authors license license-file edition rust-version readme keywords categories repository homepage documentation metadata exclude include publish',
);
const DEPENDENCIES = /^(?:dev[-_]|build[-_])?dependencies$/;

/**
 * A crate of the base that comes from somewhere else decides. A crate that is new does not: no test of
 * the base can use it. The same is so for members of the workspace.
 */
function cargoParts(table: TomlTable, base: TomlTable): unknown {
  const known = namesOfCrates(base);
  const members = tableAt(base, 'workspace')['members'];
  const old = new Set(Array.isArray(members) ? members : []);
  const isOld = (one: unknown): boolean => old.has(one);
  const deciding = (value: TomlTable): unknown =>
    Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        if (DEPENDENCIES.test(key))
          return [key, isRecord(inner) ? cratesFromElsewhere(inner, known) : inner];
        if (key === 'package' && isRecord(inner)) return [key, without(inner, HARMLESS_PACKAGE)];
        if (key === 'members' && Array.isArray(inner)) return [key, inner.filter(isOld)];
        return [key, isRecord(inner) ? deciding(inner) : inner];
      }),
    );
  return ordered(deciding(without(table, splitWords('features badges'))));
}

/** Of the crates with these names: those that do not come from the registry under their own name. */
function cratesFromElsewhere(crates: TomlTable, known: ReadonlySet<string>): TomlTable {
  return Object.fromEntries(
    Object.entries(crates).flatMap(([name, crate]) => {
      if (!known.has(name) || !isRecord(crate)) return [];
      const { path, git, registry, package: other } = crate;
      const isElsewhere = [path, git, registry, other].some((one) => one !== undefined);
      return isElsewhere ? [[name, { path, git, registry, other }]] : [];
    }),
  );
}

function namesOfCrates(table: TomlTable): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [key, value] of Object.entries(table)) {
    if (!isRecord(value)) continue;
    const found = DEPENDENCIES.test(key) ? Object.keys(value) : namesOfCrates(value);
    for (const name of found) names.add(name);
  }
  return names;
}

/** With its keys in one order, and without tables that are empty: neither says anything in TOML. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, ordered(inner)] as const)
      .filter(([, inner]) => !(isRecord(inner) && Object.keys(inner).length === 0))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}
