/** Manifests of which only a part runs by itself: scripts and hooks do, dependencies do not. */
import { isRecord } from '../../base/json.ts';
import type { TomlTable } from '../../toml/read-toml.ts';
import { parseToml, tableAt, without } from '../../toml/read-toml.ts';
import { foldName } from '../path-rules.ts';

function nameOf(path: string): string {
  return foldName(path.split(/[/\\]/).at(-1) ?? '');
}

/** Whether only a part of such a file runs by itself. */
export function hasExecutingPart(path: string): boolean {
  return PARTS.has(nameOf(path));
}

/** What of a manifest runs by itself, as one text to be compared; undefined when it can't be read. */
export function executingPart(path: string, text: string): string | undefined {
  return PARTS.get(nameOf(path))?.(text);
}

/** Of package.json: what a package manager, git or an editor starts, or decides about it. */
const PACKAGE_KEYS = [
  'scripts',
  'config',
  'husky',
  'lint-staged',
  'simple-git-hooks',
  'gitHooks',
  'pre-commit',
  'pre-push',
  'commit-msg',
  'packageManager',
  'devEngines',
  'pnpm',
  'trustedDependencies',
  'allowScripts',
  'gypfile',
  'wireit',
  'volta',
  // Settings of checkers name plugins, which editors load when they open a file.
  'eslintConfig',
  'prettier',
  'stylelint',
  'babel',
  'jest',
  'postcss',
];

/** A Map, because a file may be called `__proto__` or `constructor`. */
const PARTS: ReadonlyMap<string, (text: string) => string | undefined> = new Map([
  ['package.json', (text: string) => jsonPart(text, PACKAGE_KEYS)],
  ['composer.json', (text: string) => jsonPart(text, ['scripts', 'config'])],
  ['deno.json', (text: string) => jsonPart(text, ['tasks', 'lint', 'imports', 'importMap'])],
  ['deno.jsonc', (text: string) => text],
  ['pyproject.toml', (text: string) => tomlPart(text, ofPython)],
  ['cargo.toml', (text: string) => tomlPart(text, ofCargo)],
]);

/** Tools that only check, when a person starts them. Any other tool may build, install or hook. */
const CHECKERS = new Set(
  'black ruff isort mypy pytest coverage pyright basedpyright pylint flake8 bandit vulture codespell interrogate djlint sqlfluff pydocstyle autopep8 yapf deptry towncrier'.split(
    ' ',
  ),
);
/** Of Poetry: what it builds with, and the programs and plugins that it installs. */
const POETRY = [
  'build',
  'scripts',
  'plugins',
  'packages',
  'include',
  'requires-plugins',
  'build-constraints',
];

/** Entry points are loaded by whichever program looks for plugins; programs of a package are started by name. */
function ofPython(table: TomlTable): unknown {
  const { poetry, ...tools } = without(tableAt(table, 'tool'), CHECKERS);
  const uv = without(tableAt(tools, 'uv'), new Set(['dev-dependencies']));
  const build = isRecord(poetry) ? POETRY.map((key) => poetry[key] ?? null) : (poetry ?? null);
  return [
    table['build-system'] ?? null,
    tableAt(table, 'project')['entry-points'] ?? null,
    { ...tools, ...(tools['uv'] === undefined ? {} : { uv }) },
    Array.isArray(build) && build.every((value) => value === null) ? null : build,
  ];
}

/** A build script, a macro that runs in the compiler, and sources that take the place of others. */
function ofCargo(table: TomlTable): unknown {
  const { build, links, ['default-run']: run } = tableAt(table, 'package');
  const lib = tableAt(table, 'lib');
  return [
    build ?? null,
    links ?? null,
    run ?? null,
    lib['proc-macro'] ?? lib['proc_macro'] ?? null,
    lib['plugin'] ?? null,
    table['patch'] ?? null,
    table['replace'] ?? null,
  ];
}

function tomlPart(text: string, of: (table: TomlTable) => unknown): string | undefined {
  const table = parseToml(text);
  return table === undefined ? undefined : JSON.stringify(of(table));
}

function jsonPart(text: string, keys: readonly string[]): string | undefined {
  try {
    const found: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof found !== 'object' || found === null) return undefined;
    const record = found as Readonly<Record<string, unknown>>;
    return JSON.stringify(keys.map((key) => (Object.hasOwn(record, key) ? record[key] : null)));
  } catch {
    return undefined; // broken JSON: the caller takes the whole file
  }
}
