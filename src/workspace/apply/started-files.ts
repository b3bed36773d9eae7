/**
 * Finds files that are started by other files which run by themselves: the ones that a hook, an editor task, a gate or
 * a lifecycle script names, and those that they name in turn. Shell scripts and scripts of package.json are followed.
 * Files that a program in another language loads are not.
 */
import { posix } from 'node:path';
import { isRecord, parseJson } from '../../base/json.ts';
import { yieldToEventLoop } from '../../host/machine/yield-to-event-loop.ts';
import type { YamlTree } from '../../yaml/yaml-tree.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { executedInScript, executedLines, executedWords } from './executed-words.ts';
import { executingFile } from './executing-files.ts';
import { foldName } from '../path-rules.ts';
import { isShellScript } from './script-lines.ts';

/** The texts of files by path. Binary and oversized files are left out. */
export type LoadTexts = (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;

const STARTERS_MAX = 500;
const ROUNDS_MAX = 5;
/** A tree with more words than this has changed a file that needs an approval anyway. */
const WORDS_MAX = 100_000;
const LIFECYCLE =
  /^(?:pre|post)?(?:install|uninstall|prepare|publish|pack|version|dependencies|prepublishOnly)$/;
/** Keys of package.json whose commands git hooks run. */
const HOOK_KEYS = [
  'husky',
  'lint-staged',
  'simple-git-hooks',
  'gitHooks',
  'pre-commit',
  'pre-push',
  'commit-msg',
];
/** What node adds to the name of a file that it starts. */
const ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '.sh', '/index.js'];
/** Programs that find `check.js` by the name `check`. A word such as the name of a gate is no file. */
const ADDS_ENDING = /\b(?:node|nodejs|ts-node|tsx|bun|deno|jiti|esno|require)\b/;

/** The started files of a tree, each with the file that starts it. */
export async function startedFiles(
  paths: ReadonlySet<string>,
  loadTexts: LoadTexts,
): Promise<ReadonlyMap<string, string>> {
  const started = new Map<string, string>();
  const packages = [...paths].filter(isPackage).slice(0, STARTERS_MAX);
  const scripts = readScripts(await loadTexts(packages));
  let wordsLeft = WORDS_MAX;
  const starters = [...paths].filter((path) => executingFile(path)?.startsOthers === true);
  let round = [...packages, ...starters.slice(0, STARTERS_MAX)];
  for (let number = 0; number < ROUNDS_MAX && round.length > 0; number += 1) {
    const next = new Set<string>();
    const texts = await loadTexts(round);
    for (const path of round) {
      const text = texts.get(path) ?? '';
      const { words, folders } = findWords(path, text, scripts, wordsLeft);
      wordsLeft -= words.size;
      await yieldToEventLoop();
      for (const word of words) {
        await yieldToEventLoop();
        for (const found of findCalledFiles(word, [posix.dirname(path), '', ...folders], paths)) {
          if (started.has(found) || found === path) continue;
          started.set(found, path);
          next.add(found);
        }
      }
    }
    // Files that run by themselves were read in the first round. Of the others, only these name further files.
    const nextTexts = await loadTexts([...next].slice(0, STARTERS_MAX));
    round = [...nextTexts].filter(([path, text]) => namesOthers(path, text)).map(([path]) => path);
  }
  return started;
}

function isPackage(path: string): boolean {
  return foldName(posix.basename(path)) === 'package.json';
}

function isInstructions(path: string): boolean {
  return /\.mdc?$/i.test(path);
}

/** A shell script, or a text that an agent's instructions import. */
function namesOthers(path: string, text: string): boolean {
  return (
    isInstructions(path) ||
    /\.(?:ba|z|fi|da|k)?sh$/i.test(path) ||
    /^#!.*\b(?:ba|z|fi|da|k)?sh\b/.test(text) ||
    !posix.basename(path).includes('.')
  );
}

type Scripts = ReadonlyMap<string, readonly string[]>;

/** The lines of each script by name, of all packages, because a hook may run it in any folder. */
function readScripts(texts: ReadonlyMap<string, string>): Scripts {
  const lines = new Map<string, string[]>();
  for (const text of texts.values())
    for (const [name, line] of Object.entries(recordAt(parseJson(text), 'scripts')))
      if (typeof line === 'string') lines.set(name, [...(lines.get(name) ?? []), line]);
  return lines;
}

function recordAt(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const found = isRecord(value) ? value[key] : undefined;
  return isRecord(found) ? found : {};
}

const WORD = /[\w@.+:/-]+/g;
const RUNS_SCRIPTS = /\b(?:npm|pnpm|yarn|bun|npx|wireit|turbo|nx|lerna|node --run|run-[sp])\b/;

/** Names the folder in which what follows is started. */
const CHANGES_FOLDER =
  /(?:\b(?:cd|pushd)|-C|--(?:prefix|cwd|dir)|working[-_]dir(?:ectory)?)[\s'"=:]+([\w@.+/-]+)/g;
const FOLDERS_MAX = 20;
/** `python3 -m tools.check` */
const PYTHON_MODULE = /\s-m\s+(\w+(?:\.\w+)*)/g;

type NamedWords = {
  readonly words: ReadonlySet<string>;
  /** The folders to which the lines change, from the root. */
  readonly folders: readonly string[];
};

function findWords(path: string, text: string, scripts: Scripts, max: number): NamedWords {
  // Instructions are prose: only files that they import with @ are followed.
  if (isInstructions(path)) {
    const imports = [...text.matchAll(/(?:^|[\s(])@([\w.+/-]+)/gm)].map(([, word = '']) => word);
    return { words: new Set(imports), folders: [] };
  }
  const lines = findLines(path, text, scripts, max);
  const named = lines.flatMap((line) => [...line.matchAll(CHANGES_FOLDER)]);
  const folders = new Set(named.map(([, folder = '']) => posix.normalize(folder)));
  const words = lines.flatMap((line) => {
    const addsEnding = ADDS_ENDING.test(line);
    return [
      ...[...line.matchAll(WORD)].flatMap(([word]) => withEndings(word, addsEnding)),
      ...[...line.matchAll(PYTHON_MODULE)].flatMap(([, module = '']) => moduleFiles(module)),
    ];
  });
  return { words: new Set(words.slice(0, max)), folders: [...folders].slice(0, FOLDERS_MAX) };
}

/** A path may be written without its ending. A bare word is one only in a line that starts such a program. */
function withEndings(word: string, addsEnding: boolean): readonly string[] {
  const plain = withoutEnd(word);
  return addsEnding || plain.includes('/') ? ENDINGS.map((end) => plain + end) : [plain];
}

/** Without the punctuation of a sentence. */
function withoutEnd(word: string): string {
  let end = word.length;
  while (end > 0 && '.:'.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}

function moduleFiles(module: string): readonly string[] {
  const path = module.replaceAll('.', '/');
  return [`${path}.py`, `${path}/__main__.py`];
}

/** The lines with the commands. The lines of a named script are read together with the file that names it, once. */
function findLines(path: string, text: string, scripts: Scripts, max: number): readonly string[] {
  const lines: string[] = isPackage(path)
    ? [...findHookCommands(text)]
    : isSupervisorYaml(path)
      ? [...settingLines(text)]
      : isShellScript(path, text)
        ? executedInScript(text).map((words) => words.join(' '))
        : [text];
  const read = new Set<string>();
  let wordsLeft = max;
  for (const line of lines) {
    if (!RUNS_SCRIPTS.test(line)) continue;
    for (const [word] of line.matchAll(WORD)) {
      wordsLeft -= 1;
      if (wordsLeft < 0) return lines;
      for (const name of [word, `pre${word}`, `post${word}`]) {
        if (read.has(name)) continue;
        read.add(name);
        for (const script of scripts.get(name) ?? [])
          for (const words of executedLines(script)) lines.push(words.join(' '));
      }
    }
  }
  return lines;
}

function isSupervisorYaml(path: string): boolean {
  return executingFile(path)?.needs === 'settings' && /\.ya?ml$/i.test(path);
}

/**
 * The texts of a file of settings. Of a command, such as a gate, only the words that it may execute: the files that it
 * reads are the work. What is no YAML counts as a whole.
 */
function settingLines(text: string): readonly string[] {
  const { tree, problems } = readYaml(text, (line, column) => ({ file: '', line, column }));
  return problems.length > 0 ? [text] : textsIn(tree, '');
}

function textsIn(tree: YamlTree, key: string): readonly string[] {
  if (tree.kind === 'map')
    return tree.entries.flatMap((entry) => [entry.key, ...textsIn(entry.value, entry.key)]);
  if (tree.kind === 'scalar') {
    const line = String(tree.value);
    if (key === 'name' || key === 'description') return [];
    return key === 'command' || key === 'run'
      ? executedLines(line).map((words) => words.join(' '))
      : [line];
  }
  if (tree.kind === 'empty') return [];
  const words = tree.items.map((item) => (item.kind === 'scalar' ? String(item.value) : undefined));
  if (key === 'command' && words.every((word) => word !== undefined))
    return [executedWords(words).join(' ')];
  return tree.items.flatMap((item) => textsIn(item, ''));
}

/** The lines of package.json that a package manager or a git hook runs by itself. */
function findHookCommands(text: string): readonly string[] {
  const found = parseJson(text);
  const lifecycle = Object.entries(recordAt(found, 'scripts'))
    .filter(([name]) => LIFECYCLE.test(name))
    .map(([, line]) => String(line));
  const hooks = HOOK_KEYS.flatMap((key) =>
    isRecord(found) && found[key] !== undefined ? [JSON.stringify(found[key])] : [],
  );
  return [...lifecycle, ...hooks];
}

/** A word may be relative to the folder of its file, to the root, or to a folder that the file changes to. */
function findCalledFiles(
  word: string,
  folders: readonly string[],
  paths: ReadonlySet<string>,
): readonly string[] {
  return folders.map((folder) => posix.join(folder, word)).filter((path) => paths.has(path));
}
