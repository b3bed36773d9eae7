/** How the imports of one language lead to files of the project. */
import { basename, dirname } from 'node:path/posix';
import type { Node } from 'web-tree-sitter';
import type { ProjectView } from '../project-view.ts';
import type { GrammarName } from './grammar.ts';

export type SourceLanguage = {
  readonly files: RegExp;
  readonly grammar: GrammarName;
  /** The files that this file imports. `root`: its syntax tree. What is not in the project is left out. */
  readonly find: (
    root: Node,
    from: string,
    project: SourceFiles,
  ) => Promise<readonly string[]> | readonly string[];
};

/** Real files have a tenth of it. An agent writes these files, and this runs in the owner. */
const IMPORTS_MAX = 2000;
/** Parts of one name, and levels of braces around it. */
export const PARTS_MAX = 64;

/** The files of a project, by what imports name. */
export class SourceFiles {
  readonly #view: ProjectView;
  readonly #paths: ReadonlySet<string>;
  readonly #byName = new Map<string, string[]>();
  readonly #byFolder = new Map<string, string[]>();

  constructor(view: ProjectView) {
    this.#view = view;
    this.#paths = new Set(view.paths);
    for (const path of view.paths) {
      add(this.#byName, basename(path), path);
      add(this.#byFolder, dirname(path), path);
    }
  }

  readonly has = (path: string): boolean => this.#paths.has(path);

  /** Files with this name, in any folder. */
  called(name: string): readonly string[] {
    return this.#byName.get(name) ?? [];
  }

  /** Files directly in the folder. */
  inFolder(folder: string): readonly string[] {
    return this.#byFolder.get(folder) ?? [];
  }

  /** Folders whose path ends with this one. */
  foldersLike(end: string): readonly string[] {
    return [...this.#byFolder.keys()].filter((one) => endsWithPath(one, end));
  }

  /** Undefined: it is no text that may be read. */
  async text(path: string): Promise<string | undefined> {
    const seen = await this.#view.read(path, { named: true });
    return seen.kind === 'text' ? seen.text : undefined;
  }
}

/** The first nodes of this type. `counts`: whether such a node is an import. */
export function importsIn(
  root: Node,
  type: string,
  counts: (node: Node) => boolean = () => true,
): readonly Node[] {
  return root.descendantsOfType(type).filter(counts).slice(0, IMPORTS_MAX);
}

/** Whether the last parts of a path are these. */
export function endsWithPath(path: string, end: string): boolean {
  return path === end || path.endsWith(`/${end}`);
}

function add(lists: Map<string, string[]>, key: string, path: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [path]);
  else list.push(path);
}
