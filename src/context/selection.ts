import { dirname } from 'node:path/posix';
import { Refusal } from '../base/errors.ts';
import { CONTEXT_TOKENS } from '../settings/role-file.ts';
import type { ContextToken } from '../settings/role-file.ts';
import { nearest } from '../yaml/nearest.ts';
import { globMatcher, isGlob } from './glob.ts';
import { ImportResolver } from './imports/import-resolver.ts';
import { isImplementation, isInterfaceFile } from './outline/outline.ts';
import type { ProjectView } from './project-view.ts';

export type Selected = {
  readonly path: string;
  /** The request names this file. */
  readonly named: boolean;
  readonly publicOnly: boolean;
};

const isTypesFile = globMatcher([
  '**/{types,interfaces,protocol,schemas}/**',
  '**/*{types,interfaces}.*',
]);

/** Finds the files of a project that the patterns and tokens of a role or strategy match, for one task. */
export class Selection {
  /** The files that the targets match. */
  readonly targets: readonly string[];
  readonly #view: ProjectView;
  readonly #paths: ReadonlySet<string>;
  readonly #resolver: ImportResolver;
  readonly #isExcluded: (path: string) => boolean;
  #near: readonly string[] | undefined;
  #imports: Promise<readonly string[]> | undefined;

  constructor(view: ProjectView, targets: readonly string[], exclude: readonly string[]) {
    this.#view = view;
    this.#paths = new Set(view.paths);
    this.#resolver = new ImportResolver(view);
    this.targets = [...new Set(targets.flatMap((target) => this.#expand(target)))];
    this.#isExcluded = this.#matching(exclude);
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  isExcluded(path: string): boolean {
    return this.#isExcluded(path);
  }

  without(exclude: readonly string[]): (path: string) => boolean {
    const matches = this.#matching(exclude);
    return (path) => !matches(path);
  }

  /** The files of a path, a pattern or a token, with those nearest to the targets first. */
  async find(word: string): Promise<readonly Selected[]> {
    const token = CONTEXT_TOKENS.find((one) => one === word);
    if (token !== undefined) return this.#filesOfToken(token);
    if (!isGlob(word))
      return this.has(word) ? [{ path: word, named: true, publicOnly: false }] : [];
    const matches = globMatcher([word]);
    return this.#nearFirst().filter(matches).map(unnamed);
  }

  async #filesOfToken(token: ContextToken): Promise<readonly Selected[]> {
    switch (token) {
      case '$TARGET':
        return this.targets.map((path) => ({ path, named: true, publicOnly: false }));
      case '$TARGET_IMPORTS':
        this.#imports ??= this.#importsOfTargets();
        return (await this.#imports).map(unnamed);
      case '$INTERFACE_DEFINITIONS':
        return this.#nearFirst()
          .filter((path) => isInterfaceFile(path) || (isImplementation(path) && isTypesFile(path)))
          .map((path) => ({ path, named: false, publicOnly: true }));
      case '$COMPONENT_PUBLIC_API': {
        const component = this.targets.length > 0 ? this.targets : this.#view.paths;
        return component
          .filter(isImplementation)
          .map((path) => ({ path, named: false, publicOnly: true }));
      }
      case '$IMPLEMENTATION_INTERNALS':
        return []; // this token only has a meaning in `exclude`
    }
  }

  async #importsOfTargets(): Promise<readonly string[]> {
    const found = await Promise.all(this.targets.map((path) => this.#resolver.findImports(path)));
    const targets = new Set(this.targets);
    return [...new Set(found.flat())].filter((path) => !targets.has(path));
  }

  /** Files in the folder of a target come before those that are further away. */
  #nearFirst(): readonly string[] {
    if (this.#near !== undefined) return this.#near;
    const folders = [...new Set(this.targets.map((path) => dirname(path)))];
    const distances = new Map<string, number>();
    const far = (path: string): number => {
      const folder = dirname(path);
      let known = distances.get(folder);
      if (known === undefined) {
        known = Math.min(...folders.map((one) => distance(one, folder)));
        distances.set(folder, known);
      }
      return known;
    };
    this.#near =
      folders.length === 0
        ? this.#view.paths
        : this.#view.paths.toSorted((a, b) => far(a) - far(b));
    return this.#near;
  }

  /** A blind role hides bodies, not files, so that token excludes nothing here. */
  #matching(words: readonly string[]): (path: string) => boolean {
    const matches = globMatcher(words.filter((word) => !word.startsWith('$')));
    const targets = new Set(words.includes('$TARGET') ? this.targets : []);
    return (path) => matches(path) || targets.has(path);
  }

  #expand(target: string): readonly string[] {
    if (this.#paths.has(target)) return [target];
    const found = filesOfTarget(this.#view.paths, target);
    if (found.length > 0) return found;
    const meant = nearest(target, this.#view.paths.slice(0, SUGGESTED_AMONG_MAX));
    throw new Refusal({
      code: 'context.unknown-target',
      message: `There is no file ${JSON.stringify(target)} in the project${meant === undefined ? '' : ` (did you mean ${JSON.stringify(meant)}?)`}.`,
      hint: 'Use a file, folder or pattern relative to the project. Git-ignored files are not included.',
      details: { target },
    });
  }
}

const SUGGESTED_AMONG_MAX = 20_000;

/** The files that a path, a folder or a pattern means. */
export function filesOfTarget(paths: readonly string[], target: string): readonly string[] {
  const folder = target.replace(/\/$/, '');
  const matches = isGlob(target) && !target.endsWith('/') ? globMatcher([target]) : undefined;
  return paths.filter((path) =>
    matches === undefined
      ? path === target || folder === '.' || path.startsWith(`${folder}/`)
      : matches(path),
  );
}

function unnamed(path: string): Selected {
  return { path, named: false, publicOnly: false };
}

/** The number of folders up and down from one file to the other. */
function distance(from: string, to: string): number {
  const [a, b] = [from, to].map((path) => (path === '.' ? [] : path.split('/')));
  if (a === undefined || b === undefined) return 0;
  let shared = 0;
  while (shared < a.length && a[shared] === b[shared]) shared += 1;
  return a.length + b.length - 2 * shared;
}
