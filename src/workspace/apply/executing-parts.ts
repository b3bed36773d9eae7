/** Manifests of which only a part runs by itself: scripts and hooks do, dependencies do not. */
import { isRecord } from '../../base/json.ts';
import type { TomlTable } from '../../toml/read-toml.ts';
import { parseToml, tableAt, without } from '../../toml/read-toml.ts';
import { foldName } from '../path-rules.ts';

function foldedBasename(path: string): string {
  return foldName(path.split(/[/\\]/).at(-1) ?? '');
}

/** Whether only a part of this file runs by itself. */
export function hasExecutingPart(path: string): boolean {
  return PARTS.has(foldedBasename(path));
}

/** The part of a manifest that runs by itself, as one comparable text. Undefined if the manifest cannot be read. */
export function executingPart(path: string, text: string): string | undefined {
  return PARTS.get(foldedBasename(path))?.(text);
}

/** Keys of package.json that name commands, or decide which commands a package manager, git or an editor runs. */
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
  ['pyproject.toml', (text: string) => tomlPart(text, pythonPart)],
  ['cargo.toml', (text: string) => tomlPart(text, cargoPart)],
]);

/** Tools that only check, when a person starts them. Any other tool may build, install or add hooks. */
const CHECKERS = new Set(
  'black ruff isort mypy pytest coverage pyright basedpyright pylint flake8 bandit vulture codespell interrogate djlint sqlfluff pydocstyle autopep8 yapf deptry towncrier'.split(
    ' ',
  ),
);
/** Poetry's keys for its build, and for the programs and plugins that it installs. */
const POETRY = [
  'build',
  'scripts',
  'plugins',
  'packages',
  'include',
  'requires-plugins',
  'build-constraints',
];

/** Any program that looks for plugins loads entry points, and programs of a package are started by name. */
function pythonPart(table: TomlTable): unknown {
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

/** A build script, a macro that runs in the compiler, and sources that replace others. */
function cargoPart(table: TomlTable): unknown {
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

function tomlPart(text: string, select: (table: TomlTable) => unknown): string | undefined {
  const table = parseToml(text);
  return table === undefined ? undefined : JSON.stringify(select(table));
}

function jsonPart(text: string, keys: readonly string[]): string | undefined {
  try {
    const found: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof found !== 'object' || found === null) return undefined;
    const record = found as Readonly<Record<string, unknown>>;
    return JSON.stringify(keys.map((key) => (Object.hasOwn(record, key) ? record[key] : null)));
  } catch {
    return undefined; // broken JSON: the caller treats the whole file as executing
  }
}
