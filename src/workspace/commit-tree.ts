/**
 * In which order a tree is given out, kept and removed, whatever it lies on. Work is on its ref, for good,
 * before anything of it is removed; whoever is cut off anywhere does it again.
 */
import { Refusal } from '../base/errors.ts';
import type { LockHolder } from '../host/files/lock-file.ts';
import { describeHolder } from '../host/files/lock-file.ts';
import type { Comparison, CompareOptions } from './compare.ts';
import type { Oddity } from './find-files.ts';
import { compareTrees } from './tree-entries.ts';
import type { TreeFileOps } from './tree-file-ops.ts';
import type { WorkspaceId, WorkspaceRecord } from './workspace.ts';
import { keptRef, noRecord } from './workspace.ts';

export type GivenTree = { readonly record: WorkspaceRecord; readonly release: () => void };

/**
 * Gives a tree to its caller alone: as it is where it was made whole before, else as `build` makes it.
 * Refuses with `workspace.busy` while another has it.
 */
export async function giveTree(
  place: WorkspaceId,
  hands: Pick<TreeFileOps, 'lock' | 'record'>,
  build: (earlier: WorkspaceRecord | undefined) => Promise<WorkspaceRecord>,
): Promise<GivenTree> {
  const lock = await hands.lock();
  if (lock.kind === 'held') throw inUse(place, lock.by, 'Wait until it has ended, or stop it.');
  try {
    return { record: await build(await hands.record()), release: lock.release };
  } catch (error) {
    lock.release();
    throw error; // only the lock is our business here
  }
}

export type CommittedWork = Comparison & {
  readonly ref: string;
  readonly commit: string;
  /** Whether it differs from what was kept before, or where nothing was, from the base. */
  readonly isNews: boolean;
};

/** Compares a tree and keeps what is in it. To keep the same twice changes nothing. */
export async function commitTree(
  place: WorkspaceId,
  hands: TreeFileOps,
  options: CompareOptions = {},
): Promise<CommittedWork> {
  const comparison = await hands.compare(options);
  const { base } = await needRecordOf(place, hands);
  const earlier = await hands.keptCommit();
  const parents = [base, ...(earlier === undefined ? [] : [earlier])];
  const isSame = earlier !== undefined && (await hands.treeOf(earlier)) === comparison.result;
  // What was kept before stays within reach.
  const commit = isSame ? earlier : await hands.commit(comparison.result, parents);
  // The oddities first: a commit on the ref whose oddities nobody knows could be applied.
  await hands.writeKeptFile({ commit, oddities: comparison.oddities });
  if (!isSame) {
    await hands.makeDurable(commit, earlier ?? base);
    await hands.pointRef(commit);
  }
  const isNews = earlier === undefined ? comparison.changes.length > 0 : !isSame;
  return { ...comparison, ref: keptRef(place), commit, isNews };
}

export type CommittedTreeRecord = Pick<Comparison, 'base' | 'before' | 'after' | 'changes'> & {
  readonly commit: string;
  readonly record: WorkspaceRecord;
  readonly oddities: readonly Oddity[];
};

/** What was kept last of an attempt, whether or not its tree is still there. */
export async function readCommittedTree(
  place: WorkspaceId,
  hands: TreeFileOps,
): Promise<CommittedTreeRecord> {
  const record = await needRecordOf(place, hands);
  const commit = await hands.keptCommit();
  const noted = await hands.keptFile();
  if (commit === undefined || noted?.commit !== commit) throw nothingKept(place);
  const { base } = record;
  const [before, after] = [await hands.filesOf(base), await hands.filesOf(commit)];
  const changes = compareTrees(before, after);
  return { record, commit, base, before, after, changes, oddities: noted.oddities };
}

export type DiscardedWork =
  | { readonly kind: 'gone'; readonly ref: string }
  /** Some files can't be kept on a ref, so the tree stays where it is. */
  | { readonly kind: 'stays'; readonly ref: string; readonly because: readonly Oddity[] };

export type DiscardOptions = Pick<CompareOptions, 'limits'> & { readonly evenUnkept?: boolean };

/** These have content that no ref can hold. The others are empty, or are kept as plain files. */
const UNKEEPABLE: readonly Oddity['kind'][] = [
  'forbidden-name',
  'name-is-not-text',
  'too-deep',
  'too-large',
  'unreadable',
];

/** Keeps the work and removes the tree. `evenUnkept` also removes what no ref can hold. */
export async function discardTree(
  place: WorkspaceId,
  hands: TreeFileOps,
  { evenUnkept = false, limits }: DiscardOptions = {},
): Promise<DiscardedWork> {
  await needRecordOf(place, hands);
  const lock = await hands.lock();
  if (lock.kind === 'held')
    throw inUse(place, lock.by, `Stop it first with: supervisor stop ${place.run}`);
  try {
    const ref = keptRef(place);
    await hands.removeAside(); // of one that was cut off
    if (!(await hands.isThere())) return { kind: 'gone', ref };
    const { oddities } = await commitTree(place, hands, limits === undefined ? {} : { limits });
    const because = oddities.filter(({ kind }) => UNKEEPABLE.includes(kind));
    if (because.length > 0 && !evenUnkept) return { kind: 'stays', ref, because };
    // In one step first: half a tree must never be taken for the work, and be kept as if it were.
    await hands.setAside();
    await hands.removeAside();
    return { kind: 'gone', ref };
  } finally {
    lock.release();
  }
}

/** Its content as a commit that is kept: what lies in its tree, or what was kept before that was removed. */
export async function commitLeftoverTree(
  place: WorkspaceId,
  hands: TreeFileOps,
): Promise<string | undefined> {
  return (await hands.isThere()) ? (await commitTree(place, hands)).commit : hands.keptCommit();
}

async function needRecordOf(place: WorkspaceId, hands: TreeFileOps): Promise<WorkspaceRecord> {
  const record = await hands.record();
  if (record === undefined) throw noRecord(place);
  return record;
}

function nothingKept({ run, attempt }: WorkspaceId): Refusal {
  return new Refusal({
    code: 'workspace.not-found',
    message: `Nothing of attempt ${attempt} of run ${run} is kept.`,
    hint: 'It is kept when the attempt has ended.',
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
