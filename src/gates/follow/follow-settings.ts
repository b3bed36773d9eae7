/**
 * What the settings of the base load: presets, setup files, plugins, settings that they extend. A file that
 * is loaded directly is part of the settings. From there on only parts of checks are followed: the rest is
 * code under test.
 */
import { posix } from 'node:path';
import { isRecord, parseJson } from '../../base/json.ts';
import type { FileTree } from '../../workspace/tree-entries.ts';
import type { Trail } from './followed.ts';
import { parentFolder } from './followed.ts';
import { INSTALLED, isCheckSetting } from '../definition/check-settings.ts';
import { followText, isProduct } from './follow-scripts.ts';
import { isManifest } from '../definition/manifest-parts.ts';

const SETTINGS_MAX = 2000;
const DEPTH_MAX = 5;
const READABLE =
  /(?:\.(?:[cm]?[jt]sx?|jsonc?|json5|ya?ml|toml|ini|cfg|xml|dist|neon|py|rb|php|exs|props|targets|gradle|kts)|\/\.?[\w-]*rc|(?:^|\/)\.(?:rspec|coveragerc|flake8|pylintrc|babelrc|eslintrc|mocharc|swcrc|rubocop))$/i;
const CODE = /\.(?:[cm]?[jt]sx?|py|rb|php|exs)$/;
/** Keys of settings whose values name files or modules that are loaded. */
const LOADING_KEY =
  /(?:["'\s,{<(]|^)(?:setup\w*|global[-_]?(?:setup|teardown)|presets?|transform\w*|(?:test)?environment|reporters?|resolver|runner|testRunner|require|preload|loaders?|plugins?|pytest_plugins|load[-_]plugins|init[-_]hook|extends|inherit_from|references|bootstrap|snapshot\w+|testSequencer|parser|rules_?dir\w*|processors?|formatters?|watchPlugins|spec_helper|helpers|addopts|opts?)["']?\s*(?:=>|[:=])/i;
const IMPORTS = [
  /\bfrom\s*['"`](\.[^'"`\n]*)['"`]/g,
  /\b(?:import|require(?:\.resolve)?)\s*\(?\s*['"`](\.[^'"`\n]*)['"`]/g,
  /\brequire_relative\s*\(?\s*['"]([^'"\n]+)['"]/g,
  /\b(?:require|include)(?:_once)?\b[^'"\n;]*['"]\/?([^'"\n]+\.php)['"]/g,
  /\bapply\s*\(?\s*from\s*[:=]\s*['"]([^'"\n]+)['"]/g,
];
/** `path.join(__dirname, 'ci', 'base.js')`. */
const JOINED =
  /\b(?:join|resolve)\(\s*(?:__dirname|import\.meta\.dirname|process\.cwd\(\))\s*,((?:\s*['"][^'"\n]*['"]\s*,?)+)\s*\)/g;
const COMPUTED =
  /\b(?:require|import)\s*\(\s*(?!['"`\s)]|(?:path\.)?(?:join|resolve)\(|\.\.\.|\/\*)/;
const ENDINGS = [
  '',
  ...'.js .cjs .mjs .ts .cts .mts .tsx .jsx .json .py .rb .php .yml .yaml'.split(' '),
  ...'/index.js /index.ts /index.mjs /index.cjs /index.json /__init__.py /tsconfig.json'.split(' '),
  ...'/jest-preset.js /jest-preset.json /jest-preset.cjs /jest-preset.mjs'.split(' '),
];
/** Of package.json: the settings of checkers. */
const PACKAGE_SETTINGS =
  'jest vitest mocha ava tap c8 nyc babel eslintConfig prettier stylelint xo standard ts-node'.split(
    ' ',
  );

/** A base is followed several times, until all is read; which settings it has stays the same. */
const FOUND = new WeakMap<FileTree, readonly string[]>();

function settingsIn(base: FileTree): readonly string[] {
  const known = FOUND.get(base);
  if (known !== undefined) return known;
  const found = [...base.keys()].filter(
    (path) =>
      /(?:^|\/)(?:package\.json|pyproject\.toml)$/.test(path) ||
      (READABLE.test(path) && isCheckSetting(path)),
  );
  const own = found.filter((path) => !INSTALLED.test(path));
  FOUND.set(base, own);
  return own;
}

/** Follows all settings of the base, whichever program reads them. */
export function followSettings(trail: Trail): void {
  const found = settingsIn(trail.base);
  if (found.length > SETTINGS_MAX)
    trail.addNotFollowed('there are more settings than can be followed to what they load');
  for (const path of found.slice(0, SETTINGS_MAX)) followSetting(trail, path, 0);
}

function followSetting(trail: Trail, path: string, depth: number): void {
  const text = trail.text(path);
  if (text === undefined || depth > DEPTH_MAX || !trail.markInspected(path)) return;
  const name = posix.basename(path);
  const loaded = name === 'package.json' ? findLoadedByPackage(text) : findLoadedBy(path, text);
  if (/\.[cm]?[jt]sx?$/.test(path) && COMPUTED.test(text))
    trail.addNotFollowed(`${path} computes which files it loads`);
  if (CODE.test(path)) followText(trail, path, text);
  for (const word of loaded)
    for (const file of findNamedFiles(trail, path, word)) {
      if (file === path || isManifest(file) || INSTALLED.test(file)) continue;
      trail.scripts.add(file);
      const next = trail.text(file);
      if (next === undefined) continue;
      if (CODE.test(file) && !isCheckSetting(file)) {
        if (trail.markInspected(`text ${file}`)) followText(trail, file, next);
      } else followSetting(trail, file, depth + 1);
    }
}

function findLoadedByPackage(text: string): readonly string[] {
  const found = parseJson(text);
  if (!isRecord(found)) return [];
  return PACKAGE_SETTINGS.flatMap((key) =>
    strings(found[key]).map((word) => word.replace(/^<rootDir>\//, './')),
  );
}

function strings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(strings);
  return isRecord(value) ? Object.values(value).flatMap(strings) : [];
}

/** Words of a text of settings that may name what it loads. */
function findLoadedBy(path: string, text: string): readonly string[] {
  const words = new Set<string>();
  if (CODE.test(path) || path.endsWith('.gradle') || path.endsWith('.kts')) {
    for (const pattern of IMPORTS)
      for (const [, file = ''] of text.matchAll(pattern)) words.add(file);
    for (const [, parts = ''] of text.matchAll(JOINED)) {
      const file = posix.join(
        '.',
        ...(parts.match(/[^'",\s][^'",]*/g)?.map((one) => one.trim()) ?? []),
      );
      if (!isProduct(file)) words.add(file);
    }
  }
  let [isOpen, keyIndent, brackets] = [false, 0, 0];
  for (const line of text.split('\n')) {
    const key = LOADING_KEY.exec(line);
    const indent = line.search(/\S/);
    // A value continues in brackets, and in YAML and INI while lines are indented.
    if (key !== null) [isOpen, keyIndent, brackets] = [true, Math.max(indent, 0), 0];
    else if (isOpen && brackets <= 0 && indent <= keyIndent && !/^\s*-\s/.test(line))
      isOpen = false;
    if (!isOpen) continue;
    const value = key === null ? line : line.slice(key.index + key[0].length);
    for (const char of value)
      if (char === '[' || char === '{' || char === '(') brackets += 1;
      else if (char === ']' || char === '}' || char === ')') brackets -= 1;
    for (const word of value.match(/[\w@$<>./-]+/g) ?? [])
      if (/[./]/.test(word) || /plugins/i.test(key?.[0] ?? ''))
        words.add(word.replace(/^<rootDir>\//, './').replace(/^\$\w+\//, './'));
  }
  return [...words].filter((word) => /\w/.test(word) && !word.startsWith('/'));
}

/** The files of the base that a word in a file of settings can mean: a path, or a module of Python. */
function findNamedFiles(trail: Trail, path: string, word: string): readonly string[] {
  const isModule = /^\w+(?:\.\w+)+$/.test(word);
  const names = isModule ? [word, word.replaceAll('.', '/')] : [word];
  return [...new Set([parentFolder(path), ''])].flatMap((root) =>
    names.flatMap((name) =>
      ENDINGS.filter((end) => !(end.startsWith('/index') && isProduct(name)))
        .map((end) => posix.join(root, name) + end)
        .filter((file) => trail.base.has(file)),
    ),
  );
}
