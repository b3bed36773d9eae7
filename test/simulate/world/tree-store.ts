/**
 * The disk of the simulated world beside the journal: users' projects, the trees of attempts, and
 * the commits that save them. It knows the true content, which no owner does.
 */
import type { Random } from '../../../src/base/random.ts';
import type { Edit } from '../../../src/workspace/apply/plan-apply.ts';
import type { TreeFileEntry, FileTree } from '../../../src/workspace/tree-entries.ts';
import type { CommittedFile } from '../../../src/workspace/tree-file-ops.ts';
import type { WorkspaceId, WorkspaceRecord } from '../../../src/workspace/workspace.ts';
import { workRef } from '../../../src/workspace/workspace.ts';
import { PATHS } from './trees-scenario.ts';

type Files = Map<string, string>;

/** One attempt's tree. `truth` is everything that agents wrote there. */
export type WorldTree = {
  readonly place: WorkspaceId;
  record: WorkspaceRecord | undefined;
  work: Files | undefined;
  aside: Files | undefined;
  truth: Files | undefined;
  keptFile: CommittedFile | undefined;
  plan: string | undefined;
  /** The owner that holds it. A dead owner holds nothing. */
  holder: { readonly name: string; readonly isOver: () => boolean } | undefined;
};

export type Staging = {
  readonly fresh: Map<number, TreeFileEntry>;
  readonly aside: Map<number, TreeFileEntry>;
  /**
   * The number of the user's write after which the target of an edit was reached. Later writes
   * belong to the user.
   */
  readonly reached: Map<number, number>;
};

type Commit = { readonly files: FileTree; readonly parents: readonly string[]; isDurable: boolean };

/** A project, and the content that it would have if applies were atomic. */
type Project = { readonly files: Files; readonly truth: Files };

/** A file that no ref can hold. */
export const UNKEEPABLE_PATH = 'core.dump';

export class TreeStore {
  readonly commits = new Map<string, Commit>();
  readonly refs = new Map<string, string>();
  readonly trees = new Map<string, WorldTree>();
  /** By the ref of the workspace. */
  readonly stagings = new Map<string, Staging>();
  /** Projects in which an apply is running, and the owner that holds it. */
  readonly locks = new Map<string, () => boolean>();
  /** Folders with the output of a run, or its home. */
  readonly folders = new Set<string>();
  readonly projects = new Map<string, Project>();
  /** For each project, the user's writes by path, with the number of the write. */
  readonly #edits = new Map<string, number>();
  #writes = 0;

  /** How often users have written. */
  get writes(): number {
    return this.#writes;
  }

  stagingAt(place: WorkspaceId): Staging {
    const key = workRef(place);
    const known = this.stagings.get(key);
    const staging = known ?? { fresh: new Map(), aside: new Map(), reached: new Map() };
    this.stagings.set(key, staging);
    return staging;
  }

  projectAt(root: string): Project {
    const known = this.projects.get(root);
    if (known !== undefined) return known;
    const first = PATHS.map((path) => [path, `${path} as it was`] as const);
    const project = { files: new Map(first), truth: new Map(first) };
    this.projects.set(root, project);
    return project;
  }

  treeAt(place: WorkspaceId): WorldTree {
    const key = workRef(place);
    const tree = this.trees.get(key) ?? {
      ...{ place, record: undefined, work: undefined, aside: undefined, truth: undefined },
      ...{ keptFile: undefined, plan: undefined, holder: undefined },
    };
    this.trees.set(key, tree);
    return tree;
  }

  commit(files: FileTree, parents: readonly string[], isDurable = false): string {
    const id = `c${this.commits.size + 1}`;
    this.commits.set(id, { files, parents, isDurable });
    return id;
  }

  /** Its files, if the commit and all its ancestors exist. */
  filesOf(commit: string | undefined): FileTree | undefined {
    return commit === undefined ? undefined : this.commits.get(commit)?.files;
  }

  /** A user saves a file. */
  edit(root: string, path: string): void {
    this.#writes += 1;
    const text = `by a person, write ${this.#writes}`;
    const { files, truth } = this.projectAt(root);
    files.set(path, text);
    truth.set(path, text);
    this.#edits.set(`${root} ${path}`, this.#writes);
  }

  /**
   * From here on the work belongs to the project. A user's write since the tree was made, or over
   * an applied file, stays: this world merges nothing.
   */
  applied(place: WorkspaceId, edits: readonly Edit[]): void {
    const { root } = place;
    const { truth } = this.projectAt(root);
    const { reached } = this.stagingAt(place);
    const base = this.filesOf(this.treeAt(place).record?.base);
    for (const [number, { path, goal, expected }] of edits.entries()) {
      if (expected?.id !== base?.get(path)?.id) continue;
      if ((this.#edits.get(`${root} ${path}`) ?? 0) > (reached.get(number) ?? Infinity)) continue;
      if (goal === undefined) truth.delete(path);
      else truth.set(path, goal.id);
    }
  }

  /** Where a project differs from its expected content. */
  differences(root: string): readonly string[] {
    const { files, truth } = this.projectAt(root);
    return [...new Set([...files.keys(), ...truth.keys()])].flatMap((path) =>
      files.get(path) === truth.get(path)
        ? []
        : [`${path} is ${files.get(path) ?? 'gone'}, not ${truth.get(path) ?? 'gone'}`],
    );
  }

  /** Paths of a tree whose content its ref does not hold. */
  unkept({ place, work }: WorldTree): readonly string[] {
    const saved = this.filesOf(this.refs.get(workRef(place)));
    return [...(work ?? [])].flatMap(([path, text]) =>
      saved?.get(path)?.id === text ? [] : [path],
    );
  }

  /** Unsynced commits are lost, or not. */
  losePower(random: Random): void {
    for (const [id, { isDurable }] of this.commits)
      if (!isDurable && random() < 0.8) this.commits.set(id, GONE);
    for (const tree of this.trees.values()) tree.holder = undefined;
  }

  isLost(commit: string): boolean {
    const found = this.commits.get(commit);
    return found === undefined || found === GONE;
  }
}

/** Its number is used up, and nothing is there. */
const GONE: Commit = { files: new Map(), parents: [], isDurable: false };

export function fileOf(text: string): TreeFileEntry {
  return { mode: '100644', id: text, bytes: text.length };
}

export function treeOf(files: ReadonlyMap<string, string>): FileTree {
  return new Map(
    [...files]
      .filter(([path]) => path !== UNKEEPABLE_PATH)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, text]) => [path, fileOf(text)]),
  );
}

/** The id of a tree: equal files give an equal id. */
export function idOf(tree: FileTree): string {
  const lines = [...tree].map(([path, { id }]) => `${path} ${id}`);
  return lines.toSorted().join('\n');
}
