/**
 * Combines the work of a run with what has landed since the work began, in the shadow repository: no checkout, no
 * editor, no hook. Lines are merged as for an apply. The result is durable on a ref of its own, and a repetition gives
 * the same result.
 */
import { join } from 'node:path';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { mergeAll } from './apply/merge.ts';
import type { CurrentState } from './apply/plan-apply.ts';
import { planEdits } from './apply/plan-apply.ts';
import type { Oddity } from './find-files.ts';
import { makeDurable } from './make-durable.ts';
import type { ShadowRepo } from './shadow-repo.ts';
import {
  gitInRepo,
  openShadowRepo,
  readRef,
  readTree,
  treeOfCommit,
  writeCommit,
  writeRef,
  writeTree,
} from './shadow-repo.ts';
import { realTreeFileOps } from './tree-file-ops.ts';
import type { FileTree, TreeFileEntry } from './tree-entries.ts';
import { compareTrees } from './tree-entries.ts';
import type { WorkspaceId, WorkspacePorts } from './workspace.ts';
import { readRecord, requireRecord, workRef, workspacePaths } from './workspace.ts';

/** A state of the work, in the workspace of the run that left it. */
export type StoredWork = { readonly workspace: WorkspaceId; readonly commit: string };

export type MergeRequest = {
  /** What the work began with. */
  readonly base: StoredWork;
  readonly work: StoredWork;
  /** What has landed so far. */
  readonly tip: StoredWork;
};

export type MergeResult =
  | {
      readonly kind: 'merged';
      readonly commit: string;
      readonly content: string;
      /** The files that the work changes, sorted. */
      readonly names: readonly string[];
    }
  | {
      readonly kind: 'conflict';
      readonly files: readonly string[];
      /** What has landed meanwhile in these files. */
      readonly diff: string;
    };

const DIFF_CHARS_MAX = 4000;

/** `own`: the workspace that the result belongs to. It has the base of the tip. */
export async function mergeInto(
  own: WorkspaceId,
  ports: WorkspacePorts,
  { base, work, tip }: MergeRequest,
): Promise<MergeResult> {
  const repo = await openShadowRepo(workspacePaths(own).project, ports);
  const read = ({ commit }: StoredWork): Promise<FileTree> => readTree(repo, commit);
  const [before, after, landed] = [await read(base), await read(work), await read(tip)];
  const changes = compareTrees(before, after);
  const current = new Map<string, CurrentState>(
    changes.flatMap(({ path }) => {
      const entry = landed.get(path);
      return entry === undefined ? [] : [[path, entry] as const];
    }),
  );
  const planned = planEdits(changes, current, await mergeAll(repo, changes, current));
  const conflict = async (files: readonly string[]): Promise<MergeResult> => ({
    ...{ kind: 'conflict', files, diff: await diffOf(repo, base.commit, tip.commit, files) },
  });
  if (planned.kind === 'conflict') return conflict(planned.paths);
  const merged = new Map<string, TreeFileEntry>(landed);
  for (const { path, goal } of planned.edits)
    if (goal === undefined) merged.delete(path);
    else merged.set(path, goal);
  const inTheWay = filesThatAreFolders(merged);
  if (inTheWay.length > 0) return conflict(inTheWay);
  const tree = await writeTree(repo, merged);
  const message = `The work of run ${work.workspace.run}, with what has landed before`;
  const commit = await storeOnRef(own, ports, { repo, tree, tip, others: [work], message });
  const names = changes.map(({ path }) => path);
  return { kind: 'merged', commit, content: await treeOfCommit(repo, commit), names };
}

/** One side made a file where the other has a folder. */
export function filesThatAreFolders(tree: FileTree): readonly string[] {
  const found = new Set<string>();
  for (const path of tree.keys())
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      if (tree.has(path.slice(0, at))) found.add(path.slice(0, at));
  return [...found].toSorted();
}

/** The record is what makes it a workspace: gates and commits read its base there. */
async function ensureRecord(own: WorkspaceId, { workspace }: StoredWork): Promise<void> {
  if ((await readRecord(own)) !== undefined) return;
  const { run, attempt } = own;
  const record = { ...(await requireRecord(workspace)), run, attempt, continues: null };
  const { record: path } = workspacePaths(own);
  await ensurePrivateDir(join(path, '..'));
  await writeFileAtomic(path, `${JSON.stringify(record, null, 2)}\n`);
}

type Stored = {
  readonly repo: ShadowRepo;
  readonly tree: string;
  readonly tip: StoredWork;
  /** What else the result contains. */
  readonly others: readonly StoredWork[];
  readonly message: string;
};

/** Makes the tree a durable commit on the ref of its workspace. A repetition finds the same commit. */
export async function storeOnRef(
  own: WorkspaceId,
  ports: WorkspacePorts,
  { repo, tree, tip, others, message }: Stored,
): Promise<string> {
  await ensureRecord(own, tip);
  const ops = realTreeFileOps(own, ports);
  const ref = workRef(own);
  const earlier = await readRef(repo, ref);
  const isSame = earlier !== undefined && (await treeOfCommit(repo, earlier)) === tree;
  const parents = [tip, ...others].map(({ commit }) => commit);
  const commit = isSame
    ? earlier
    : await writeCommit(repo, { tree, parents, message, atMs: ports.clock.now() });
  const oddities: Oddity[] = [];
  for (const one of [tip, ...others]) oddities.push(...(await odditiesOf(one, ports)));
  // As for every work: the oddities are known before the commit is on its ref.
  await ops.writeCommittedFile({ commit, oddities });
  if (!isSame) {
    await makeDurable(repo, commit, tip.commit);
    await writeRef(repo, ref, commit);
  }
  return commit;
}

async function odditiesOf(
  { workspace }: StoredWork,
  ports: WorkspacePorts,
): Promise<readonly Oddity[]> {
  const file = await realTreeFileOps(workspace, ports).readCommittedFile();
  return file?.oddities ?? [];
}

async function diffOf(
  repo: ShadowRepo,
  from: string,
  to: string,
  files: readonly string[],
): Promise<string> {
  const args = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', from, to, '--', ...files];
  const { stdout } = await gitInRepo(repo, args);
  return stdout.toString('utf8').slice(0, DIFF_CHARS_MAX);
}
