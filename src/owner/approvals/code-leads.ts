/**
 * The files that a text of code leads to, each by its name: those that it imports, and those whose path it has in a
 * string, such as a program that a test starts. A word of the code itself leads nowhere: a variable `sum` is no `sum.mjs`.
 * The folders of an import are not compared, because a test may import what a build has made of the file.
 *
 * An agent has written the text, and the owner reads it between two other things. So no pattern here goes over a part of
 * it twice, and what is larger than code of a person leads nowhere.
 */
import { basename, dirname, join } from 'node:path/posix';

const PYTHON = /\.py$/;
const CODE_END = /\.(?:[cm]?[jt]sx?|py)$/;
/** A larger file or line is made by a program. */
export const CODE_CHARS_MAX = 200_000;
const LINE_CHARS_MAX = 10_000;
/** These are used by the name of their folder. */
const OF_FOLDER = /^(?:index|__init__|__main__|main|mod)$/;

/** `import … from`, `export … from`, `import()`, `require()`, `require.resolve()` and `jest.mock()`. */
const SPECIFIER =
  /\b(?:from|import|require|resolve|mock|unmock|doMock|importActual|requireActual)\s*(?:\(\s*)?(["'`])([^"'`\n]+)\1/g;
const QUOTE = /["'`]/g;
const STRING = /(["'`])((?:\\.|(?!\1)[^\\])*)\1/sy;
/** A name after `import` can be a module of the folder that stands after `from`. No list contains another parenthesis. */
const PYTHON_IMPORT =
  /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]+(\([^()]*|(?:\\\r?\n|[^\n#])*)/gm;
const PYTHON_NAME = /\bimport_module\(\s*(["'])([\w.]+)\1/g;

/** How code names a file: by its own name, or as a module of a folder. */
export type CodeName = { readonly name: string; readonly folder: string };

export function codeName(path: string): CodeName {
  return { name: nameOf(path), folder: basename(dirname(path)) };
}

function nameOf(path: string): string {
  const [stem = ''] = basename(path).split('.');
  return OF_FOLDER.test(stem) && dirname(path) !== '.' ? basename(dirname(path)) : stem;
}

/** Tells whether the code in `text` leads to another file. */
export function findLeads(path: string, text: string): (other: CodeName) => boolean {
  const code = writtenCode(text);
  const strings = stringsIn(code);
  const names = new Set(pathsIn(strings));
  if (!PYTHON.test(path)) {
    for (const [, , specifier = ''] of code.matchAll(SPECIFIER))
      names.add(ofSpecifier(path, specifier));
    return ({ name }) => names.has(name);
  }
  const inFolders = new Set<string>();
  for (const [, from, list = ''] of code.matchAll(PYTHON_IMPORT)) {
    const imported = list.split(',').map((one) => /[\w.]+/.exec(one)?.[0] ?? '');
    const modules = from === undefined ? imported : [from];
    for (const part of modules.flatMap((one) => one.split('.'))) names.add(part);
    const folder = from?.split('.').at(-1);
    if (folder !== undefined) for (const name of imported) inFolders.add(`${folder}/${name}`);
  }
  for (const [, , name = ''] of code.matchAll(PYTHON_NAME))
    for (const part of name.split('.')) names.add(part);
  for (const part of dottedIn(strings)) names.add(part);
  return ({ name, folder }) =>
    names.has(name) || inFolders.has(`/${name}`) || inFolders.has(`${folder}/${name}`);
}

function writtenCode(text: string): string {
  if (text.length > CODE_CHARS_MAX) return '';
  const lines = text.split('\n');
  return lines.map((line) => (line.length > LINE_CHARS_MAX ? '' : line)).join('\n');
}

function ofSpecifier(path: string, specifier: string): string {
  const [bare = ''] = specifier.split('?');
  const target = bare.startsWith('.') ? join(dirname(path), bare) : bare;
  const [stem = ''] = basename(target).split('.');
  return stem === '' ? 'index' : nameOf(target);
}

/** The last parts of paths in strings, such as `bin/sum.mjs` in `node bin/sum.mjs --all`. */
function pathsIn(strings: readonly string[]): readonly string[] {
  return strings
    .flatMap((one) => one.split(/[\s=,;:]+/))
    .filter((word) => CODE_END.test(word))
    .map(nameOf);
}

/** `patch('app.prices.total')` names a module of Python. */
function dottedIn(strings: readonly string[]): readonly string[] {
  return strings.filter((one) => /^\w+(?:\.\w+)+$/.test(one)).flatMap((one) => one.split('.'));
}

function stringsIn(code: string): readonly string[] {
  return code.split('\n').flatMap(stringsOfLine);
}

/** A quote that nothing closes, such as that of `don't`, opens nothing. Each such quote behind it is escaped: it doesn't either. */
function stringsOfLine(line: string): readonly string[] {
  const found: string[] = [];
  const unclosed = new Set<string>();
  let end = 0;
  for (const { 0: quote, index } of line.matchAll(QUOTE)) {
    if (index < end || unclosed.has(quote)) continue;
    STRING.lastIndex = index;
    const inside = STRING.exec(line)?.[2];
    if (inside === undefined) {
      unclosed.add(quote);
      continue;
    }
    found.push(inside);
    end = index + inside.length + 2;
  }
  return found;
}
