/** Everything that is done to the machine when one attempt's tree is given out, kept or removed. */
import { join } from 'node:path';
import { isRecord, parseJson } from '../base/json.ts';
import { writeFileAtomic } from '../host/files/atomic-files.ts';
import type { LockAnswer } from '../host/files/lock-file.ts';
import { takeLock } from '../host/files/lock-file.ts';
import { readSmallFile } from '../host/files/small-file.ts';
import { readPath } from '../host/files/tree/read-tree.ts';
import { moveEntryAside, removeTree } from '../host/files/tree/write-tree.ts';
import type { Comparison, CompareOptions } from './compare.ts';
import { compareWorkspace } from './compare.ts';
import type { Oddity } from './find-files.ts';
import type { FileTree } from './tree-entries.ts';
import type { ShadowRepo } from './shadow-repo.ts';
import {
  makeDurable,
  openShadowRepo,
  readRef,
  readTree,
  treeOfCommit,
  writeCommit,
  writeRef,
} from './shadow-repo.ts';
import type { WorkspaceId, WorkspacePorts, WorkspaceRecord } from './workspace.ts';
import { keptRef, workspacePaths, readRecord } from './workspace.ts';

/** Which commit holds the work of a tree, and what that commit does not hold. */
export type CommittedFile = { readonly commit: string; readonly oddities: readonly Oddity[] };

export interface TreeFileOps {
  /** Held for as long as an attempt may be working in the tree. */
  lock(): Promise<LockAnswer>;
  /** Undefined where no tree was made whole. */
  record(): Promise<WorkspaceRecord | undefined>;
  isThere(): Promise<boolean>;
  compare(options: CompareOptions): Promise<Comparison>;
  /** What the ref of this tree names. */
  keptCommit(): Promise<string | undefined>;
  keptFile(): Promise<CommittedFile | undefined>;
  writeKeptFile(kept: CommittedFile): Promise<void>;
  /** The tree of a commit, as an id and as its files. */
  treeOf(commit: string): Promise<string>;
  filesOf(commit: string): Promise<FileTree>;
  commit(tree: string, parents: readonly string[]): Promise<string>;
  /** Puts all of a commit that an earlier one does not have on the disk for good. */
  makeDurable(commit: string, earlier: string): Promise<void>;
  pointRef(commit: string): Promise<void>;
  /** Takes the tree out of the way in one step. */
  setAside(): Promise<void>;
  /** Removes what was set aside. */
  removeAside(): Promise<void>;
}

const KEPT_BYTES_MAX = 50_000_000;

export function realTreeFileOps(place: WorkspaceId, ports: WorkspacePorts): TreeFileOps {
  const paths = workspacePaths(place);
  const ref = keptRef(place);
  const vault = (): Promise<ShadowRepo> => openShadowRepo(paths.project, ports);
  const own = join(paths.work, '..');
  return {
    lock: () =>
      takeLock(paths.lock, { clock: ports.clock, purpose: `${place.run}/${place.attempt}` }),
    record: () => readRecord(place),
    isThere: async () => (await readPath(own, 'work', 0)).kind !== 'absent',
    compare: (options) => compareWorkspace(place, ports, options),
    keptCommit: async () => readRef(await vault(), ref),
    async keptFile() {
      const read = await readSmallFile(paths.kept, KEPT_BYTES_MAX);
      const noted = read.kind === 'text' ? parseJson(read.text) : undefined;
      return isRecord(noted) ? (noted as CommittedFile) : undefined;
    },
    writeKeptFile: (kept) => writeFileAtomic(paths.kept, `${JSON.stringify(kept)}\n`),
    treeOf: async (commit) => treeOfCommit(await vault(), commit),
    filesOf: async (commit) => readTree(await vault(), commit),
    commit: async (tree, parents) =>
      writeCommit(await vault(), {
        tree,
        parents,
        message: `What attempt ${place.attempt} of run ${place.run} left`,
        atMs: ports.clock.now(),
      }),
    makeDurable: async (commit, earlier) => makeDurable(await vault(), commit, earlier),
    pointRef: async (commit) => writeRef(await vault(), ref, commit),
    setAside: async () => void (await moveEntryAside(own, 'work', paths.gone)),
    removeAside: () => removeTree(paths.gone),
  };
}
