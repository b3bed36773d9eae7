/** Every operation on the machine that assigns, commits or removes the tree of one attempt. */
import { join } from 'node:path';
import { isRecord, parseJson } from '../base/json.ts';
import { writeFileAtomic } from '../host/files/atomic-files.ts';
import type { LockAnswer } from '../host/files/lock-file.ts';
import { takeLock } from '../host/files/lock-file.ts';
import { readSmallFile } from '../host/files/read-text-file.ts';
import { readPath } from '../host/files/tree/read-tree.ts';
import { moveEntryAside, removeTree } from '../host/files/tree/write-tree.ts';
import type { Comparison, CompareOptions } from './compare.ts';
import { compareWorkspace } from './compare.ts';
import type { Oddity } from './find-files.ts';
import type { FileTree } from './tree-entries.ts';
import { makeDurable } from './make-durable.ts';
import type { ShadowRepo } from './shadow-repo.ts';
import {
  openShadowRepo,
  readRef,
  readTree,
  treeOfCommit,
  writeCommit,
  writeRef,
} from './shadow-repo.ts';
import type { WorkspaceId, WorkspacePorts, WorkspaceRecord } from './workspace.ts';
import { workRef, workspacePaths, readRecord } from './workspace.ts';

/** The commit with the work of a tree, and the entries that the commit lacks. */
export type CommittedFile = { readonly commit: string; readonly oddities: readonly Oddity[] };

export interface TreeFileOps {
  /** Held for as long as an attempt may be running in the tree. */
  lock(): Promise<LockAnswer>;
  /** Undefined if no tree was completed. */
  record(): Promise<WorkspaceRecord | undefined>;
  isThere(): Promise<boolean>;
  compare(options: CompareOptions): Promise<Comparison>;
  /** The commit that the ref of this tree points to. */
  readCommit(): Promise<string | undefined>;
  readCommittedFile(): Promise<CommittedFile | undefined>;
  writeCommittedFile(file: CommittedFile): Promise<void>;
  /** The tree of a commit: its id, and its files. */
  readTreeId(commit: string): Promise<string>;
  readFiles(commit: string): Promise<FileTree>;
  commit(tree: string, parents: readonly string[]): Promise<string>;
  /** Makes all objects of a commit that an earlier commit lacks durable. */
  makeDurable(commit: string, earlier: string): Promise<void>;
  setRef(commit: string): Promise<void>;
  /** Moves the tree out of the way in one step. */
  setAside(): Promise<void>;
  /** Removes the tree that was set aside. */
  removeAside(): Promise<void>;
}

const KEPT_BYTES_MAX = 50_000_000;

export function realTreeFileOps(workspace: WorkspaceId, ports: WorkspacePorts): TreeFileOps {
  const paths = workspacePaths(workspace);
  const ref = workRef(workspace);
  const openRepo = (): Promise<ShadowRepo> => openShadowRepo(paths.project, ports);
  const attemptDir = join(paths.work, '..');
  return {
    lock: () =>
      takeLock(paths.lock, {
        clock: ports.clock,
        purpose: `${workspace.run}/${workspace.attempt}`,
      }),
    record: () => readRecord(workspace),
    isThere: async () => (await readPath(attemptDir, 'work', 0)).kind !== 'absent',
    compare: (options) => compareWorkspace(workspace, ports, options),
    readCommit: async () => readRef(await openRepo(), ref),
    async readCommittedFile() {
      const read = await readSmallFile(paths.committedFile, KEPT_BYTES_MAX);
      const stored = read.kind === 'text' ? parseJson(read.text) : undefined;
      return isRecord(stored) ? (stored as CommittedFile) : undefined;
    },
    writeCommittedFile: (file) => writeFileAtomic(paths.committedFile, `${JSON.stringify(file)}\n`),
    readTreeId: async (commit) => treeOfCommit(await openRepo(), commit),
    readFiles: async (commit) => readTree(await openRepo(), commit),
    commit: async (tree, parents) =>
      writeCommit(await openRepo(), {
        tree,
        parents,
        message: `The work of attempt ${workspace.attempt} of run ${workspace.run}`,
        atMs: ports.clock.now(),
      }),
    makeDurable: async (commit, earlier) => makeDurable(await openRepo(), commit, earlier),
    setRef: async (commit) => writeRef(await openRepo(), ref, commit),
    setAside: async () => void (await moveEntryAside(attemptDir, 'work', paths.removing)),
    removeAside: () => removeTree(paths.removing),
  };
}
