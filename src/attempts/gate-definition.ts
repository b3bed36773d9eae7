/**
 * No gate is defined by the tree that it judges. A command names a program, and what that program does
 * often stands in a file of the project: a script, `package.json`, a `Makefile`, the settings of a test
 * runner. This finds those files, and gives the tree in which they are as they were before the work.
 */
import { isRecord, parseJson } from '../base/json.ts';
import type { TaskTexts } from './gate-command.ts';
import { filesOf } from './gate-command.ts';
import type { Tree } from '../workspace/tree.ts';

/** Settings of what checks, wherever they lie: with them a check can be told to look at nothing. */
const CHECK_SETTINGS =
  /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs|bunfig\.toml|jest\.config\.[a-z]+|vitest\.(?:config|workspace)\.[a-z]+|\.mocharc(?:\.[a-z]+)?|karma\.conf\.[a-z]+|\.c8rc(?:\.json)?|\.nycrc(?:\.[a-z]+)?|\.eslintrc(?:\.[a-z]+)?|\.eslintignore|eslint\.config\.[a-z]+|\.oxlintrc\.json|biome\.jsonc?|pytest\.ini|\.pytest\.ini|tox\.ini|setup\.cfg|\.coveragerc|mypy\.ini|\.mypy\.ini|ruff\.toml|\.ruff\.toml|\.flake8|\.pylintrc|\.golangci\.(?:ya?ml|toml|json)|\.rubocop\.yml|\.rspec|phpunit\.xml(?:\.dist)?|phpstan\.neon(?:\.dist)?|\.cargo\/config(?:\.toml)?)$/;
/** Of `package.json`: what decides how it is checked. The rest is the work's own. */
const PACKAGE_KEYS = [
  'scripts',
  'config',
  'wireit',
  'jest',
  'vitest',
  'mocha',
  'ava',
  'tap',
  'c8',
  'nyc',
  'eslintConfig',
  'eslintIgnore',
  'xo',
  'standard',
  'stylelint',
  'prettier',
];
const PACKAGE_FILE = /(?:^|\/)package\.json$/;
/** What is installed, and so what a check is made of. The work's own belongs elsewhere. */
const INSTALLED = /(?:^|\/)(?:node_modules|\.venv|venv)(?:\/|$)/;
const PYPROJECT_FILE = /(?:^|\/)pyproject\.toml$/;

export type Definition = {
  /** Paths that are taken from the base as they were there, or left out if it had none. */
  readonly whole: readonly string[];
  /** Paths of which only a part decides: `mendedText` says what to put there. */
  readonly parts: readonly string[];
};

const NAMES_MAX = 20;

/** What to call those files in a record: what is installed is one thing, however many files it has. */
export function namedInShort(paths: readonly string[]): readonly string[] {
  const names = new Set(
    paths.map((path) => {
      const at = INSTALLED.exec(path);
      return at === null ? path : path.slice(0, at.index + at[0].length);
    }),
  );
  return [...names].toSorted().slice(0, NAMES_MAX);
}

/** What of the changed files decides how `command`, started in the folder `inside`, judges. */
export function definitionOf(
  command: readonly string[],
  inside: string,
  before: Tree,
  after: Tree,
  texts: TaskTexts = new Map(),
): Definition {
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    return was?.id !== is?.id || was?.mode !== is?.mode;
  });
  const files = filesOf(command, inside, texts);
  const whole = changed.filter(
    (path) =>
      files.strict.has(path) ||
      INSTALLED.test(path) ||
      // A program that the work itself brings is the work; one that was there before is a check.
      (before.has(path) && (files.script.has(path) || CHECK_SETTINGS.test(path))),
  );
  const parts = changed.filter(
    (path) =>
      (PACKAGE_FILE.test(path) && (before.has(path) || files.packages.has(path))) ||
      (PYPROJECT_FILE.test(path) && before.has(path)),
  );
  return { whole: whole.toSorted(), parts: parts.toSorted() };
}

/** The work's own file with the deciding part as it was; undefined when that part is the same. */
export function mendedText(path: string, was: string | undefined, is: string): string | undefined {
  return PACKAGE_FILE.test(path) ? mendedPackage(was, is) : mendedPyproject(was, is);
}

function mendedPackage(was: string | undefined, is: string): string | undefined {
  const [before, after] = [parseJson(was ?? '{}'), parseJson(is)];
  if (!isRecord(after) || !isRecord(before)) return was === is ? undefined : (was ?? '{}');
  const differs = PACKAGE_KEYS.filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  if (differs.length === 0) return undefined;
  const mended: Record<string, unknown> = { ...after };
  for (const key of differs) {
    if (before[key] === undefined) delete mended[key];
    else mended[key] = before[key];
  }
  return `${JSON.stringify(mended, null, 2)}\n`;
}

/** TOML is not taken apart: where settings of tools differ, the whole file is as it was. */
function mendedPyproject(was = '', is: string): string | undefined {
  return toolSections(was) === toolSections(is) ? undefined : was;
}

function toolSections(text: string): string {
  return text
    .split(/^(?=\s*\[)/m)
    .filter((section) => /^\s*\[+\s*["']?tool["']?\s*\./.test(section))
    .map((section) => section.trim())
    .join('\n');
}
