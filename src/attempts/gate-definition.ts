/**
 * No gate is defined by the tree that it judges. A command names a program, and what that program does
 * often stands in a file of the project: a script, `package.json`, a `Makefile`, the settings of a test
 * runner. This finds those files, and gives the tree in which they are as they were before the work.
 */
import { posix } from 'node:path';
import { isRecord, parseJson } from '../base/json.ts';
import { shellWords } from '../base/shell-words.ts';
import type { Tree } from '../workspace/tree.ts';

/** Programs that only start another one. */
const WRAPPERS = new Set(['env', 'timeout', 'nice', 'nohup', 'time', 'stdbuf', 'xvfb-run', 'exec']);
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);
const LANGUAGES = new Set(['node', 'deno', 'bun', 'tsx', 'ruby', 'perl', 'php', 'lua', 'Rscript']);
const PACKAGE_RUNNERS = new Set(['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx', 'corepack']);
/** Each reads its tasks from files of these names, in the folder where it is started or above. */
const TASK_FILES: Readonly<Record<string, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'taskfile.yaml'],
  rake: ['Rakefile', 'rakefile'],
  tox: ['tox.ini'],
  nox: ['noxfile.py'],
  cargo: ['.cargo/config.toml', '.cargo/config'],
};
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
const PYPROJECT_FILE = /(?:^|\/)pyproject\.toml$/;

export type Definition = {
  /** Paths that are taken from the base as they were there, or left out if it had none. */
  readonly whole: readonly string[];
  /** Paths of which only a part decides: `mendedText` says what to put there. */
  readonly parts: readonly string[];
};

/** What of the changed files decides how `command`, started in the folder `inside`, judges. */
export function definitionOf(
  command: readonly string[],
  inside: string,
  before: Tree,
  after: Tree,
): Definition {
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    return was?.id !== is?.id || was?.mode !== is?.mode;
  });
  const files = filesOf(command, inside, 0);
  const whole = changed.filter(
    (path) =>
      files.strict.has(path) ||
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

type Named = {
  /** They decide even if the base had none. */
  readonly strict: ReadonlySet<string>;
  readonly script: ReadonlySet<string>;
  /** Each `package.json` that a package manager would begin with. */
  readonly packages: ReadonlySet<string>;
};

const NOTHING: Named = { strict: new Set(), script: new Set(), packages: new Set() };
const DEPTH_MAX = 5;

function filesOf(command: readonly string[], inside: string, depth: number): Named {
  const [program, ...args] = command;
  if (program === undefined || depth > DEPTH_MAX) return NOTHING;
  const name = posix.basename(program);
  if (WRAPPERS.has(name)) {
    const at = args.findIndex((arg) => !/^-|^[\d.]+[smhd]?$|^\w+=/.test(arg));
    return at < 0 ? NOTHING : filesOf(args.slice(at), inside, depth + 1);
  }
  const own = program.includes('/') ? pathsOf([program], inside) : [];
  const tasks = (TASK_FILES[name] ?? []).flatMap((file) => upwards(inside, file));
  const given = settingsOf(name, args);
  if (SHELLS.has(name)) {
    const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
    if (at >= 0)
      return merged(
        inlineCommands(args[at + 1] ?? '').map((one) => filesOf(one, inside, depth + 1)),
      );
    return { ...NOTHING, strict: new Set([...own, ...pathsOf(firstWord(args), inside)]) };
  }
  const scripts = LANGUAGES.has(name) || /^(?:python|pypy)[\d.]*$/.test(name) ? args : [];
  return {
    strict: new Set([...own, ...tasks, ...pathsOf(name in TASK_FILES ? given : [], inside)]),
    script: new Set([...pathsOf(scripts, inside), ...pathsOf(given, inside)]),
    packages: new Set(PACKAGE_RUNNERS.has(name) ? upwards(inside, 'package.json') : []),
  };
}

/** The files that flags name: `make -f check.mk`, `jest --config=jest.ci.js`. */
function settingsOf(name: string, args: readonly string[]): readonly string[] {
  if (name === 'test' || name === '[') return []; // its -f asks whether there is such a file
  return args.flatMap((arg, index) => {
    const [, flag = '', value] =
      /^(-f|-c|-p|--\w*(?:file|config|rcfile|project))(?:=(.*))?$/s.exec(arg) ?? [];
    return flag === '' ? [] : [value ?? args[index + 1] ?? ''];
  });
}

function merged(all: readonly Named[]): Named {
  return {
    strict: new Set(all.flatMap(({ strict }) => [...strict])),
    script: new Set(all.flatMap(({ script }) => [...script])),
    packages: new Set(all.flatMap(({ packages }) => [...packages])),
  };
}

/** The simple commands of a line for a shell, as far as they can be read without being one. */
function inlineCommands(text: string): readonly (readonly string[])[] {
  return text
    .split(/\n|;|&&?|\|\|?|[(){}]|\$\(|`/)
    .map((part) => shellWords(part.trim()) ?? part.trim().split(/\s+/))
    .map((words) =>
      words.slice(
        Math.max(
          0,
          words.findIndex((word) => !/^\w+=|^!$|^(?:if|then|else|do|while)$/.test(word)),
        ),
      ),
    )
    .filter((words) => words.length > 0);
}

function firstWord(args: readonly string[]): readonly string[] {
  const word = args.find((arg) => !arg.startsWith('-'));
  return word === undefined ? [] : [word];
}

/** Words as paths of the tree, if they are any. */
function pathsOf(words: readonly string[], inside: string): readonly string[] {
  return words
    .filter((word) => word !== '' && !word.startsWith('-') && !word.startsWith('/'))
    .map((word) => posix.join(inside, word))
    .filter((path) => path !== '.' && !path.startsWith('../'));
}

/** A file of that name here and in each folder above. */
function upwards(inside: string, file: string): readonly string[] {
  const steps = inside === '' ? [] : inside.split('/');
  return [...steps.keys(), steps.length].map((depth) => posix.join(...steps.slice(0, depth), file));
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
