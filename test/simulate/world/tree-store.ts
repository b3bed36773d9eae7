/**
 * What lies on the disk of the simulated world beside the journal: the projects of people, the trees of
 * attempts, and the commits that keep them. It knows what should be there, which no owner does.
 */
import type { Random } from '../../../src/base/random.ts';
import type { Edit } from '../../../src/workspace/apply/plan-apply.ts';
import type { TreeFileEntry, FileTree } from '../../../src/workspace/tree-entries.ts';
import type { CommittedFile } from '../../../src/workspace/tree-file-ops.ts';
import type { WorkspaceId, WorkspaceRecord } from '../../../src/workspace/workspace.ts';
import { keptRef } from '../../../src/workspace/workspace.ts';
import { PATHS } from './trees-scenario.ts';

export type Files = Map<string, string>;

/** One attempt's tree. `truth` is what agents have written there, whatever became of it. */
export type WorldTree = {
  readonly place: WorkspaceId;
  record: WorkspaceRecord | undefined;
  work: Files | undefined;
  aside: Files | undefined;
  truth: Files | undefined;
  keptFile: CommittedFile | undefined;
  plan: string | undefined;
  /** Who has it; whoever is over holds nothing. */
  holder: { readonly name: string; readonly isOver: () => boolean } | undefined;
};

export type Staging = {
  readonly fresh: Map<number, TreeFileEntry>;
  readonly aside: Map<number, TreeFileEntry>;
  /** After which writing of a person the goal of an edit was reached: what was written since is theirs. */
  readonly reached: Map<number, number>;
};

type Commit = { readonly files: FileTree; readonly parents: readonly string[]; isDurable: boolean };

/** A project, and what it would hold if applies were single moments. */
type Project = { readonly files: Files; readonly truth: Files };

/** No ref can hold it. */
export const UNKEEPABLE_PATH = 'core.dump';

export class TreeStore {
  readonly commits = new Map<string, Commit>();
  readonly refs = new Map<string, string>();
  readonly trees = new Map<string, WorldTree>();
  /** By the ref of the place. */
  readonly stagings = new Map<string, Staging>();
  /** Projects in which an apply is under way, and the owner that holds it. */
  readonly locks = new Map<string, () => boolean>();
  /** Folders with the output of a run, or its home. */
  readonly folders = new Set<string>();
  readonly projects = new Map<string, Project>();
  /** By project, what a person wrote where, with the number of its writing. */
  readonly #edits = new Map<string, number>();
  #writes = 0;

  /** How often people have written. */
  get writes(): number {
    return this.#writes;
  }

  stagingAt(place: WorkspaceId): Staging {
    const key = keptRef(place);
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
    const key = keptRef(place);
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

  /** Its files, if the commit and all that it stands on are there. */
  filesOf(commit: string | undefined): FileTree | undefined {
    return commit === undefined ? undefined : this.commits.get(commit)?.files;
  }

  /** A person saves a file. */
  edit(root: string, path: string): void {
    this.#writes += 1;
    const text = `by a person, write ${this.#writes}`;
    const { files, truth } = this.projectAt(root);
    files.set(path, text);
    truth.set(path, text);
    this.#edits.set(`${root} ${path}`, this.#writes);
  }

  /**
   * From here on the work is the project's. What a person has written since the tree was made, or over what
   * was placed, stays theirs: nothing here can be merged.
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

  /** Where a project is not what it should be. */
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
    const kept = this.filesOf(this.refs.get(keptRef(place)));
    return [...(work ?? [])].flatMap(([path, text]) =>
      kept?.get(path)?.id === text ? [] : [path],
    );
  }

  /** Commits that no sync has brought to the disk are gone, or not. */
  losePower(luck: Random): void {
    for (const [id, { isDurable }] of this.commits)
      if (!isDurable && luck() < 0.8) this.commits.set(id, GONE);
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

/** The id of a tree: the same files have the same. */
export function idOf(tree: FileTree): string {
  const lines = [...tree].map(([path, { id }]) => `${path} ${id}`);
  return lines.toSorted().join('\n');
}
