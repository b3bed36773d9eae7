/**
 * The order in which a tree is assigned, committed and removed, independent of the storage. Work is durable on its
 * ref before anything of it is removed. An interrupted operation is simply repeated.
 */
import { Refusal } from '../base/errors.ts';
import type { LockHolder } from '../host/files/lock-file.ts';
import { describeHolder } from '../host/files/lock-file.ts';
import type { Comparison, CompareOptions } from './compare.ts';
import type { Oddity } from './find-files.ts';
import { compareTrees } from './tree-entries.ts';
import type { TreeFileOps } from './tree-file-ops.ts';
import type { WorkspaceId, WorkspaceRecord } from './workspace.ts';
import { workRef, noRecord } from './workspace.ts';

export type AssignedTree = { readonly record: WorkspaceRecord; readonly release: () => void };

/**
 * Assigns a tree to one caller: as it is if it was completed before, or else as `build` creates it. Refuses with
 * `workspace.busy` while another process has it.
 */
export async function assignTree(
  workspace: WorkspaceId,
  ops: Pick<TreeFileOps, 'lock' | 'record'>,
  build: (earlier: WorkspaceRecord | undefined) => Promise<WorkspaceRecord>,
): Promise<AssignedTree> {
  const lock = await ops.lock();
  if (lock.kind === 'held') throw inUse(workspace, lock.by, 'Wait until it has ended, or stop it.');
  try {
    return { record: await build(await ops.record()), release: lock.release };
  } catch (error) {
    lock.release();
    throw error; // only the lock is released here
  }
}

export type CommittedWork = Comparison & {
  readonly ref: string;
  readonly commit: string;
  /** Whether it differs from the previous commit or, if there is none, from what the workspace started with. */
  readonly isChanged: boolean;
};

/** Compares a tree and commits its content. Committing the same content twice changes nothing. */
export async function commitTree(
  workspace: WorkspaceId,
  ops: TreeFileOps,
  options: CompareOptions = {},
): Promise<CommittedWork> {
  const comparison = await ops.compare(options);
  const { base, start = base } = await requireRecord(workspace, ops);
  const earlier = await ops.readCommit();
  const parents = [base, ...(earlier === undefined ? [] : [earlier])];
  const isSame = earlier !== undefined && (await ops.readTreeId(earlier)) === comparison.result;
  // The previous commit stays reachable as a parent.
  const commit = isSame ? earlier : await ops.commit(comparison.result, parents);
  // The oddities are written first. Otherwise a commit with unknown oddities could be on the ref, and be applied.
  await ops.writeCommittedFile({ commit, oddities: comparison.oddities });
  if (!isSame) {
    await ops.makeDurable(commit, earlier ?? base);
    await ops.setRef(commit);
  }
  const isChanged = (await ops.readTreeId(earlier ?? start)) !== comparison.result;
  return { ...comparison, ref: workRef(workspace), commit, isChanged };
}

export type CommittedTreeRecord = Pick<Comparison, 'base' | 'before' | 'after' | 'changes'> & {
  readonly commit: string;
  readonly record: WorkspaceRecord;
  readonly oddities: readonly Oddity[];
};

/** The last committed work of an attempt, whether or not its tree still exists. */
export async function readCommittedTree(
  workspace: WorkspaceId,
  ops: TreeFileOps,
): Promise<CommittedTreeRecord> {
  const record = await requireRecord(workspace, ops);
  const commit = await ops.readCommit();
  const committedFile = await ops.readCommittedFile();
  if (commit === undefined || committedFile?.commit !== commit) throw nothingCommitted(workspace);
  const { base } = record;
  const [before, after] = [await ops.readFiles(base), await ops.readFiles(commit)];
  const changes = compareTrees(before, after);
  return { record, commit, base, before, after, changes, oddities: committedFile.oddities };
}

export type DiscardedWork =
  /** `wasGone`: there was no tree to remove. */
  | { readonly kind: 'gone'; readonly ref: string; readonly wasGone?: true }
  /** Some files cannot be stored on a ref, so the tree is not removed. */
  | { readonly kind: 'stays'; readonly ref: string; readonly unstorable: readonly Oddity[] };

export type DiscardOptions = Pick<CompareOptions, 'limits'> & {
  readonly discardUnstorable?: boolean;
};

/** These have content that no ref can store. The others are empty, or are stored as plain files. */
const UNSTORABLE: readonly Oddity['kind'][] = [
  'forbidden-name',
  'name-is-not-text',
  'too-deep',
  'too-large',
  'unreadable',
];

export function unstorableIn(oddities: readonly Oddity[]): readonly Oddity[] {
  return oddities.filter(({ kind }) => UNSTORABLE.includes(kind));
}

/** Commits the work and removes the tree. `discardUnstorable` also removes files that no ref can store. */
export async function discardTree(
  workspace: WorkspaceId,
  ops: TreeFileOps,
  { discardUnstorable = false, limits }: DiscardOptions = {},
): Promise<DiscardedWork> {
  await requireRecord(workspace, ops);
  const lock = await ops.lock();
  if (lock.kind === 'held')
    throw inUse(workspace, lock.by, `Stop it first with: supervisor stop ${workspace.run}`);
  try {
    const ref = workRef(workspace);
    await ops.removeAside(); // left by an interrupted removal
    if (!(await ops.isThere())) return { kind: 'gone', ref, wasGone: true };
    const { oddities } = await commitTree(workspace, ops, limits === undefined ? {} : { limits });
    const unstorable = oddities.filter(({ kind }) => UNSTORABLE.includes(kind));
    if (unstorable.length > 0 && !discardUnstorable) return { kind: 'stays', ref, unstorable };
    // The tree is moved aside in one step first. Otherwise a half-removed tree could be committed as the work.
    await ops.setAside();
    await ops.removeAside();
    return { kind: 'gone', ref };
  } finally {
    lock.release();
  }
}

/**
 * The content of a leftover tree as a commit: that of the tree itself, or the previous commit if the tree was
 * removed.
 */
export async function commitLeftoverTree(
  workspace: WorkspaceId,
  ops: TreeFileOps,
): Promise<string | undefined> {
  return (await ops.isThere()) ? (await commitTree(workspace, ops)).commit : ops.readCommit();
}

async function requireRecord(workspace: WorkspaceId, ops: TreeFileOps): Promise<WorkspaceRecord> {
  const record = await ops.record();
  if (record === undefined) throw noRecord(workspace);
  return record;
}

function nothingCommitted({ run, attempt }: WorkspaceId): Refusal {
  return new Refusal({
    code: 'workspace.not-found',
    message: `Attempt ${attempt} of run ${run} has no committed work.`,
    hint: 'Work is committed when the attempt ends.',
  });
}

function inUse({ run, attempt }: WorkspaceId, by: LockHolder | undefined, hint: string): Refusal {
  return new Refusal({
    code: 'workspace.busy',
    message: `The workspace of attempt ${attempt} of run ${run} is in use by ${describeHolder(by)}.`,
    hint,
    details: by === undefined ? {} : { pid: by.pid },
  });
}
