/**
 * Finds the files that a program needs. A package needs the files beside it. A script needs its interpreter
 * and the programs that it starts: many commands in PATH are small scripts that start a package elsewhere.
 */
import { dirname, isAbsolute, join } from 'node:path';
import { isWithin, sharingObjection, secretPaths } from '../../base/secret-paths.ts';
import { realPathSync } from '../../host/files/real-path.ts';
import { existing } from '../../host/files/system-dirs.ts';
import { namesIn, readScript } from '../../host/process/script-file.ts';
import { which } from '../../host/process/which.ts';

export type ProgramFiles = {
  /** Paths that the sandbox mounts read-only. */
  readonly read: readonly string[];
  /** Folders of interpreters that scripts find by name. */
  readonly path: readonly string[];
};

type Env = Readonly<Record<string, string | undefined>>;

/** How many scripts may start one another before the program itself. */
const DEPTH_MAX = 3;
const NAMED_MAX = 50;
const ENTRIES_MAX = 200;
const PARENTS_MAX = 8;

/** `program` is a real path. The result never contains secret paths or the whole home folder. */
export function programFiles(program: string, env: Env): ProgramFiles {
  const found = findFiles(program, env, 1);
  const { HOME: userDir = '/' } = env;
  const secrets = secretPaths({ userDir, realPath: realPathSync });
  const isHarmless = (path: string): boolean =>
    path === program || sharingObjection(path, 'ro', secrets) === undefined;
  const read = [...new Set(found.read)].filter(isHarmless);
  const isInside = (path: string): boolean =>
    read.some((folder) => folder !== path && isWithin(path, folder));
  return { read: read.filter((path) => !isInside(path)), path: [...new Set(found.path)] };
}

function findFiles(program: string, env: Env, depth: number): ProgramFiles {
  const at = program.indexOf('/node_modules/');
  if (at >= 0) return { read: [program.slice(0, at + '/node_modules'.length)], path: [] };
  const text = readScript(program) ?? '';
  const isForNode = /\.[cm]?js$/.test(program) || /^#!.*\b(?:node|bun|deno|tsx)\b/.test(text);
  const parts =
    text === '' || depth > DEPTH_MAX
      ? []
      : [
          findInterpreter(text, env),
          ...programsNamedIn(text, program, env).map((file) => findFiles(file, env, depth + 1)),
        ];
  const beside = isForNode ? findPackage(program, env['HOME']) : [];
  return {
    read: [program, ...beside, ...parts.flatMap(({ read }) => read)],
    path: parts.flatMap(({ path }) => path),
  };
}

/** The interpreter that the first line of a script names. */
function findInterpreter(text: string, env: Env): ProgramFiles {
  const [, named = '', argument = ''] = /^#! ?(\S+)(?:[ \t]+(?:-S +)?(\S+))?/.exec(text) ?? [];
  const isLookedFor = named.endsWith('/env');
  const found = isLookedFor ? which(argument, env) : named;
  const real = found === undefined ? undefined : realPathSync(found);
  if (found === undefined || real === undefined) return { read: [], path: [] };
  // A virtual environment of Python has links to the interpreter.
  const home = dirname(dirname(found));
  const isVirtual = existing([join(home, 'pyvenv.cfg')]).length > 0;
  const isOfSystem = isWithin(real, '/usr') || isWithin(real, '/bin');
  return {
    read: [...(isVirtual ? [home] : []), ...(isOfSystem ? [] : [real])],
    path: isLookedFor && !isOfSystem ? [dirname(found)] : [],
  };
}

/** The package of a linked or cloned Node program, without hidden files, because they may contain keys. */
function findPackage(program: string, userDir = '/'): readonly string[] {
  let folder = dirname(program);
  const folders: string[] = [];
  for (let up = 0; up < PARENTS_MAX && folder !== dirname(folder); up += 1) {
    folders.push(folder);
    folder = dirname(folder);
  }
  const own = folders.find((one) => existing([join(one, 'package.json')]).length > 0);
  // Some home folders have a package.json by accident.
  if (own === undefined || isWithin(realPathSync(userDir) ?? userDir, own)) return [];
  return [
    ...namesIn(own)
      .filter((name) => !name.startsWith('.'))
      .slice(0, ENTRIES_MAX)
      .map((name) => join(own, name)),
    // In a monorepo, packages are also found in the folders above.
    ...existing(folders.filter((one) => one !== own).map((one) => join(one, 'node_modules'))),
  ];
}

/** The programs that a script names by path. Variables may stand for its own folder and the home folder. */
function programsNamedIn(text: string, program: string, env: Env): readonly string[] {
  const words = text.match(/[^\s"'`;|&<>()=,]*\/[^\s"'`;|&<>()=,]+/g) ?? [];
  const paths = words.slice(0, NAMED_MAX * 4).map((word) => {
    const path = word
      .replace(/^(?:~|\$\{?HOME\}?)(?=\/)/, env['HOME'] ?? '~')
      .replace(/^\$\{?\w+\}?(?=\/)/, '.');
    return isAbsolute(path) ? path : join(dirname(program), path);
  });
  const files = paths.flatMap((path) => {
    const real = realPathSync(path);
    if (real === undefined || real === program || isWithin(real, '/usr')) return [];
    return isProgram(real) ? [real] : [];
  });
  return [...new Set(files)].slice(0, NAMED_MAX);
}

/** Other files are left out: they may be settings with keys. */
function isProgram(path: string): boolean {
  return /\.[cm]?js$/.test(path) || which(path, {}) !== undefined;
}
