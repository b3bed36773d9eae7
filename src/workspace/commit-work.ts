/** Work is never deleted: it is committed to a ref of the shadow repository first. */
import { at } from '../base/clock.ts';
import { parseRunId } from '../base/ids.ts';
import type { RunId } from '../base/ids.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { join } from 'node:path';
import { isLockHeld } from '../host/files/lock-file.ts';
import { readSmallFile } from '../host/files/read-text-file.ts';
import { listTreeFolder, readPath } from '../host/files/tree/read-tree.ts';
import type { CompareOptions } from './compare.ts';
import type {
  DiscardedWork,
  DiscardOptions,
  CommittedWork,
  CommittedTreeRecord,
} from './commit-tree.ts';
import { discardTree, commitLeftoverTree, commitTree, readCommittedTree } from './commit-tree.ts';
import { realTreeFileOps } from './tree-file-ops.ts';
import type { ShadowRepo } from './shadow-repo.ts';
import { openShadowRepo } from './shadow-repo.ts';
import type { WorkspaceId, WorkspacePorts } from './workspace.ts';
import { workspacePaths } from './workspace.ts';

export function commitWorkspace(
  workspace: WorkspaceId,
  ports: WorkspacePorts,
  options: CompareOptions = {},
): Promise<CommittedWork> {
  return commitTree(workspace, realTreeFileOps(workspace, ports), options);
}

export type CommittedWorkRecord = CommittedTreeRecord & { readonly repo: ShadowRepo };

/** The last committed work of an attempt, whether or not its tree still exists. */
export async function readCommittedWork(
  workspace: WorkspaceId,
  ports: WorkspacePorts,
): Promise<CommittedWorkRecord> {
  const committed = await readCommittedTree(workspace, realTreeFileOps(workspace, ports));
  return { ...committed, repo: await openShadowRepo(workspacePaths(workspace).project, ports) };
}

export function discardWorkspace(
  workspace: WorkspaceId,
  ports: WorkspacePorts,
  options: DiscardOptions = {},
): Promise<DiscardedWork> {
  return discardTree(workspace, realTreeFileOps(workspace, ports), options);
}

export type Stale = {
  readonly workspace: WorkspaceId;
  readonly atMs: number;
};

/** The workspaces of all projects that are older than this and that no process uses. Changes nothing. */
export async function findStale(
  home: string,
  ports: WorkspacePorts,
  olderThanMs: number,
): Promise<readonly Stale[]> {
  const stale: Stale[] = [];
  for (const project of await listFolders(home, 'projects'))
    for (const run of await listFolders(home, `${project}/trees`))
      for (const attempt of await listFolders(home, run)) {
        const found = await readTreeState(home, attempt);
        if (found === undefined || !found.isThere) continue;
        if (isLockHeld(workspacePaths(found.workspace).lock)) continue;
        const { workspace, atMs } = found;
        if (ports.clock.now() - atMs >= olderThanMs) stale.push({ workspace, atMs });
      }
  return stale;
}

/** The last workspace of a run, whether or not its tree still exists. */
export async function findLast(home: string, run: RunId): Promise<WorkspaceId | undefined> {
  const found = [];
  for (const project of await listFolders(home, 'projects'))
    for (const attempt of await listFolders(home, `${project}/trees/${run}`))
      found.push(await readTreeState(home, attempt));
  return found
    .flatMap((one) => (one === undefined ? [] : [one.workspace]))
    .toSorted((a, b) => a.attempt - b.attempt)
    .at(-1);
}

/** The content of a workspace as a commit: that of its tree, or the previous commit if the tree was removed. */
export function commitLeftovers(
  workspace: WorkspaceId,
  ports: WorkspacePorts,
): Promise<string | undefined> {
  return commitLeftoverTree(workspace, realTreeFileOps(workspace, ports));
}

type Tree = Stale & { readonly isThere: boolean };

async function readTreeState(home: string, attemptDir: string): Promise<Tree | undefined> {
  const read = await readSmallFile(join(home, attemptDir, 'record.json'), 1_000_000);
  const record = read.kind === 'text' ? parseJson(read.text) : undefined;
  if (!isRecord(record)) return undefined;
  const kinds = [];
  for (const name of ['work', 'gone'])
    kinds.push((await readPath(home, `${attemptDir}/${name}`, 0)).kind);
  const isThere = kinds.includes('folder');
  const run = parseRunId(String(record['run']));
  const { root, attempt, atMs } = record;
  if (run === undefined || typeof root !== 'string' || typeof attempt !== 'number')
    return undefined;
  return { workspace: { home, root, run, attempt }, atMs: at(Number(atMs)), isThere };
}

async function listFolders(home: string, folder: string): Promise<readonly string[]> {
  const entries = (await listTreeFolder(home, folder)) ?? [];
  return entries.filter(({ kind }) => kind === 'folder').map(({ name }) => `${folder}/${name}`);
}
