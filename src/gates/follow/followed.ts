/** What is known of a command after following it through the files of the base, and the paths that words mean. */
import { posix } from 'node:path';
import { simpleGlobSource } from '../../base/simple-glob.ts';
import { findRunner, runsTests } from '../../test-reports/attach-runner.ts';
import { silentRunnersOf } from '../../test-reports/non-js-runners.ts';
import { TEST_RUNNERS } from '../definition/known-programs.ts';
import type { FileTree } from '../../workspace/tree-entries.ts';
import { TOP, UNKNOWN } from './shell-values.ts';

/** What decides how a command judges, by paths of the tree. */
export type Followed = {
  /** They decide even where they are new: a new one is left out. */
  readonly strict: ReadonlySet<string>;
  /** Patterns of paths that decide even where they are new, as `include *.mk` does. */
  readonly strictPatterns: readonly RegExp[];
  /** They decide where the base has them: what the work itself brings is the work. */
  readonly scripts: ReadonlySet<string>;
  /** Each `package.json` that a package manager would begin with. */
  readonly packages: ReadonlySet<string>;
  /** Folders in which programs are looked for by name: a new file there could stand in for one. */
  readonly programFolders: ReadonlySet<string>;
  /** Folders in which Python looks for modules first. */
  readonly pythonRoots: ReadonlySet<string>;
  /** Words that may name files or folders to be checked, as paths. */
  readonly named: ReadonlySet<string>;
  /** Test runners that it starts and that can be counted. */
  readonly runners: ReadonlySet<string>;
  /** Test runners that it starts and that can't report here, each with the reason. */
  readonly silent: ReadonlyMap<string, string>;
  /** Test runners that it starts and that have no reporter. */
  readonly uncounted: ReadonlySet<string>;
  /** Why it can't be followed to its end, in plain words; empty: it can. */
  readonly notFollowed: readonly string[];
  /** Files of the base whose text is needed to continue. */
  readonly filesToRead: ReadonlySet<string>;
};

/** Where a command runs: one folder, or several where that can't be told. */
export type FollowPosition = { readonly folders: readonly string[]; readonly depth: number };

const FILES_MAX = 300;
const MATCHES_MAX = 50;
const FOLDERS_MAX = 10;
const HOPS_MAX = 10;

/** Collects what is found while commands are followed. */
export class Trail {
  readonly base: FileTree;
  readonly strict = new Set<string>();
  readonly strictPatterns = new Set<string>();
  readonly scripts = new Set<string>();
  readonly packages = new Set<string>();
  readonly programFolders = new Set<string>();
  readonly pythonRoots = new Set<string>();
  readonly named = new Set<string>();
  readonly filesToRead = new Set<string>();
  readonly runners = new Set<string>();
  readonly silent = new Map<string, string>();
  readonly uncounted = new Set<string>();
  readonly functions = new Set<string>();
  /** The symlinks of the base. */
  readonly links = new Set<string>();
  readonly #open = new Set<string>();
  readonly #unknown = new Map<string, string>();
  readonly #texts: ReadonlyMap<string, string>;
  readonly #visited = new Set<string>();
  readonly #looked = new Set<string>();

  constructor(base: FileTree, texts: ReadonlyMap<string, string>) {
    this.base = base;
    this.#texts = texts;
    for (const [path, { mode }] of base) if (mode === '120000') this.links.add(path);
  }

  /** The text of a file of the base, through links; undefined where there is none, or it is yet to be read. */
  text(path: string): string | undefined {
    const real = this.resolveLinks(path);
    return real === undefined ? undefined : this.#textAt(real);
  }

  #textAt(path: string): string | undefined {
    const text = this.#texts.get(path);
    if (text === undefined && this.base.has(path)) this.filesToRead.add(path);
    return text;
  }

  /**
   * Where a path of the base leads through its links, each of which decides as well. Undefined if it leads
   * out of the tree, which can't be followed, or if a link is yet to be read.
   */
  resolveLinks(path: string): string | undefined {
    let at = path;
    for (let hop = 0; hop <= HOPS_MAX && this.links.size > 0; hop += 1) {
      const link = this.#linkOn(at);
      if (link === undefined) break;
      const target = this.#textAt(link);
      if (target === undefined) return undefined;
      this.strict.add(link);
      at = posix.join(posix.dirname(link), target, at.slice(link.length)).replace(/\/+$/, '');
      if (target.startsWith('/') || at === '..' || at.startsWith('../') || hop === HOPS_MAX) {
        this.addNotFollowed(
          `it goes through the link ${shownPath(link)}, which leads out of the tree`,
        );
        return undefined;
      }
    }
    if (at !== path && this.base.has(at)) this.strict.add(at);
    return at;
  }

  /** The first link on the way to a path, itself included. */
  #linkOn(path: string): string | undefined {
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1))
      if (this.links.has(path.slice(0, end))) return path.slice(0, end);
    return this.links.has(path) ? path : undefined;
  }

  /** True the first time that this key is visited, false after that and once the bound is reached. */
  markVisited(what: string): boolean {
    if (this.#visited.has(what)) return false;
    if (this.#visited.size >= FILES_MAX) {
      this.addNotFollowed('it starts more files than can be followed');
      return false;
    }
    this.#visited.add(what);
    return true;
  }

  /** The same for files that are only read, such as settings, which have a bound of their own. */
  markInspected(what: string): boolean {
    if (this.#looked.has(what)) return false;
    this.#looked.add(what);
    return true;
  }

  /** Notes a program that the command starts by its name: it may be a test runner. */
  addStartedProgram(program: string, args: readonly string[]): void {
    const runner = findRunner(program, args);
    if (runner !== undefined) this.runners.add(runner);
    else if (TEST_RUNNERS.has(program) && runsTests(args)) this.uncounted.add(program);
    this.addSilentRunners(silentRunnersOf(program, args));
  }

  addSilentRunners(silent: ReadonlyMap<string, string>): void {
    for (const [runner, why] of silent) this.silent.set(runner, why);
  }

  addNotFollowed(why: string): void {
    this.#open.add(why);
  }

  /** Notes a program that is in no list, unless a script of the project defines a function of that name. */
  addUnknownProgram(program: string): void {
    this.#unknown.set(
      program,
      `it starts ${shownPath(program)}, and which files decide for that is not known`,
    );
  }

  /** The paths of the tree that a word means: of a file, or of what a pattern matches in the base. */
  paths(word: string, { folders }: FollowPosition): readonly string[] {
    if (word === '' || word.startsWith('-') || word.startsWith('~')) return [];
    if (word.includes(UNKNOWN)) return this.#byEnd(word);
    const full = word.startsWith(TOP)
      ? [posix.normalize(word.slice(TOP.length).replace(/^\/+/, '') || '.')]
      : word.startsWith('/')
        ? []
        : folders.map((folder) => posix.join(folder, word));
    return full
      .map((path) => (path === '.' ? '' : path.replace(/^\.\//, '').replace(/\/+$/, '')))
      .filter((path) => !path.startsWith('../') && path !== '..')
      .flatMap((path) => (/[*?[{]/.test(path) ? this.#byPattern(path) : [path]))
      .flatMap((path) => this.#alsoReal(path));
  }

  #alsoReal(path: string): readonly string[] {
    const real = this.links.size === 0 ? path : this.resolveLinks(path);
    return real === undefined || real === path ? [path] : [path, real];
  }

  /** A path whose beginning is not known: every file of the base that ends like it. */
  #byEnd(word: string): readonly string[] {
    const end = word.slice(word.lastIndexOf(UNKNOWN) + 1);
    if (!/^\/?[^/*?]+(?:\/[^/*?]+)*$/.test(end) || !end.includes('.')) return [];
    const tail = posix.normalize(end.replace(/^\/+/, '')).replace(/^(?:\.\.\/)+/, '');
    return [...this.base.keys()]
      .filter((path) => path === tail || path.endsWith(`/${tail}`))
      .slice(0, MATCHES_MAX);
  }

  #byPattern(pattern: string): readonly string[] {
    const matcher = compilePattern(pattern);
    return [...this.base.keys()].filter((path) => matcher.test(path)).slice(0, MATCHES_MAX);
  }

  isFolder(path: string): boolean {
    for (const one of this.base.keys()) if (one.startsWith(`${path}/`)) return true;
    return path === '';
  }

  followed(): Followed {
    const unknown = [...this.#unknown].flatMap(([name, why]) =>
      this.functions.has(name) ? [] : [why],
    );
    return {
      strict: this.strict,
      strictPatterns: [...this.strictPatterns].map(compilePattern),
      scripts: this.scripts,
      packages: this.packages,
      programFolders: this.programFolders,
      pythonRoots: this.pythonRoots,
      named: this.named,
      runners: this.runners,
      silent: this.silent,
      uncounted: this.uncounted,
      notFollowed: [...this.#open, ...unknown],
      filesToRead: this.filesToRead,
    };
  }
}

function compilePattern(pattern: string): RegExp {
  return new RegExp(`^${simpleGlobSource(pattern)}$`, 's');
}

/** The position after a change of folder. The old folder stays possible: the change may be in a subshell. */
export function movedTo(
  trail: Trail,
  where: FollowPosition,
  to: string | undefined,
): FollowPosition {
  if (to === undefined || to === '-') return where;
  const paths = trail.paths(to, where);
  if (paths.length === 0) {
    if (!to.startsWith('/') && !to.startsWith('~'))
      trail.addNotFollowed(`it changes to a folder that is computed when it runs`);
    return where;
  }
  const folders = [...new Set([...paths, ...where.folders])].slice(0, FOLDERS_MAX);
  return { ...where, folders };
}

/** A file of that name in each folder, and in each folder above. */
export function upwards(folders: readonly string[], file: string): readonly string[] {
  return [
    ...new Set(
      folders.flatMap((inside) => {
        const steps = inside === '' ? [] : inside.split('/');
        return [...steps.keys(), steps.length].map((depth) =>
          posix.join(...steps.slice(0, depth), file),
        );
      }),
    ),
  ];
}

export function parentFolder(path: string): string {
  const folder = posix.dirname(path);
  return folder === '.' ? '' : folder;
}

/** A word as a person may read it. */
export function shownPath(word: string): string {
  return word.replaceAll(UNKNOWN, '…').replaceAll(TOP, '.').slice(0, 60);
}
