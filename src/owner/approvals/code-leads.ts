/**
 * The files that a text of code leads to, each by its name: those that it imports, and those whose path it has in a
 * string, such as a program that a test starts. A word of the code itself leads nowhere: a variable `sum` is no `sum.mjs`.
 * The folders of an import are not compared, because a test may import what a build has made of the file.
 */
import { basename, dirname, join } from 'node:path/posix';

const PYTHON = /\.py$/;
const CODE_END = /\.(?:[cm]?[jt]sx?|py)$/;
/** These are used by the name of their folder. */
const OF_FOLDER = /^(?:index|__init__|__main__|main|mod)$/;

/** `import … from`, `export … from`, `import()`, `require()`, `require.resolve()` and `jest.mock()`. */
const SPECIFIER =
  /\b(?:from|import|require|resolve|mock|unmock|doMock|importActual|requireActual)\s*\(?\s*(["'`])([^"'`\n]+)\1/g;
const STRING = /(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g;
/** A name after `import` can be a module of the folder that stands after `from`. */
const PYTHON_IMPORT =
  /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]+(\([^)]*\)|(?:\\\r?\n|[^\n#])*)/gm;
const PYTHON_NAME = /\bimport_module\(\s*(["'])([\w.]+)\1/g;

/** The name by which code uses a file. */
export function nameOf(path: string): string {
  const [stem = ''] = basename(path).split('.');
  return OF_FOLDER.test(stem) && dirname(path) !== '.' ? basename(dirname(path)) : stem;
}

/** Tells whether the code in `text` leads to another file. */
export function findLeads(path: string, text: string): (other: string) => boolean {
  const names = new Set(pathsIn(text));
  if (!PYTHON.test(path)) {
    for (const [, , specifier = ''] of text.matchAll(SPECIFIER))
      names.add(ofSpecifier(path, specifier));
    return (other) => names.has(nameOf(other));
  }
  const inFolders = new Set<string>();
  for (const [, from, list = ''] of text.matchAll(PYTHON_IMPORT)) {
    const imported = list.split(',').map((one) => /[\w.]+/.exec(one)?.[0] ?? '');
    const modules = from === undefined ? imported : [from];
    for (const part of modules.flatMap((one) => one.split('.'))) names.add(part);
    const folder = from?.split('.').at(-1);
    if (folder !== undefined) for (const name of imported) inFolders.add(`${folder}/${name}`);
  }
  for (const [, , name = ''] of text.matchAll(PYTHON_NAME))
    for (const part of name.split('.')) names.add(part);
  for (const part of dottedIn(text)) names.add(part);
  return (other) => {
    const name = nameOf(other);
    const isRelative = inFolders.has(`/${name}`);
    return names.has(name) || isRelative || inFolders.has(`${basename(dirname(other))}/${name}`);
  };
}

function ofSpecifier(path: string, specifier: string): string {
  const [bare = ''] = specifier.split('?');
  const target = bare.startsWith('.') ? join(dirname(path), bare) : bare;
  const [stem = ''] = basename(target).split('.');
  return stem === '' ? 'index' : nameOf(target);
}

/** The last parts of paths in strings, such as `bin/sum.mjs` in `node bin/sum.mjs --all`. */
function pathsIn(text: string): readonly string[] {
  return stringsIn(text)
    .flatMap((one) => one.split(/[\s=,;:]+/))
    .filter((word) => CODE_END.test(word))
    .map(nameOf);
}

/** `patch('app.prices.total')` names a module of Python. */
function dottedIn(text: string): readonly string[] {
  return stringsIn(text)
    .filter((one) => /^\w+(?:\.\w+)+$/.test(one))
    .flatMap((one) => one.split('.'));
}

function stringsIn(text: string): readonly string[] {
  return [...text.matchAll(STRING)].map(([, , inside = '']) => inside);
}
