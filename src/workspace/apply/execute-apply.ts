/**
 * Executes the edits of an apply on the user's tree, all or none. Each move is decided from what is on the disk, so
 * an interrupted apply is executed again from its plan. A replaced file is moved aside and compared there: if the
 * user wrote to it meanwhile, it is put back.
 */
import { join } from 'node:path';
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import { unwritableRefusal } from '../../host/files/unwritable.ts';
import type { Edit, CurrentState } from './plan-apply.ts';
import type { TreeFileEntry } from '../tree-entries.ts';
import { isSameFile } from '../tree-entries.ts';

/** Every operation of an apply on the machine. The number names the edit's own files in the staging folder. */
export interface FileOps {
  /** Whether all edits were in place once. From then on the tree belongs to the user again. */
  wasPlaced(): Promise<boolean>;
  /** Saves the user's state on a ref. */
  saveUserState(): Promise<void>;
  readTarget(path: string): Promise<CurrentState>;
  readAside(edit: number): Promise<CurrentState>;
  isStaged(edit: number): Promise<boolean>;
  /** Writes the new files to the staging folder, durably. */
  stage(staged: readonly Staged[]): Promise<void>;
  unstage(edit: number): Promise<void>;
  /** Moves the file at the path aside, and removes folders that become empty if `alsoFolders` is set. */
  setAside(edit: number, path: string, options: { readonly alsoFolders: boolean }): Promise<void>;
  /** False if the path is taken. */
  place(edit: number, path: string): Promise<boolean>;
  /** Puts back the file that was set aside. False if the path is taken. */
  restoreAside(edit: number, path: string): Promise<boolean>;
  /** Removes the placed file, if it is still unchanged. */
  removePlaced(edit: number, path: string, goal: TreeFileEntry): Promise<void>;
  markPlaced(): Promise<void>;
  /** Removes the staging folder and everything in it. */
  removeStaging(): Promise<void>;
}

type Staged = {
  readonly edit: number;
  readonly path: string;
  readonly goal: TreeFileEntry;
  readonly permissions?: number;
};

export type AppliedEdits =
  | { readonly kind: 'applied' }
  /**
   * Nothing was changed in the end. `leftAside`: files that the user wrote meanwhile and that are still in the
   * staging folder.
   */
  | {
      readonly kind: 'changed-meanwhile';
      readonly paths: readonly string[];
      readonly leftAside: readonly string[];
    };

/** `root` is the folder of the project, for messages that name a file. */
export async function executeEdits(
  root: string,
  edits: readonly Edit[],
  ops: FileOps,
): Promise<AppliedEdits> {
  if (await ops.wasPlaced()) {
    await ops.removeStaging();
    return { kind: 'applied' };
  }
  await ops.saveUserState();
  try {
    const staged: Staged[] = [];
    for (const [edit, { path, goal, permissions }] of edits.entries())
      if (goal !== undefined && !isAt(await ops.readTarget(path), goal))
        staged.push({ edit, path, goal, ...defined({ permissions }) });
    await ops.stage(staged);
    const changed = await placeAll(root, edits, ops);
    if (changed !== undefined) return await rollBack(edits, ops, [changed]);
  } catch (error) {
    await rollBack(edits, ops, []);
    if (error instanceof Refusal) throw error;
    // A full or read-only disk: nothing is half done, and the caller gets the error.
    throw unwritableRefusal(error, root, NOTHING_CHANGED) ?? error;
  }
  await ops.markPlaced();
  await ops.removeStaging();
  return { kind: 'applied' };
}

/** The path that was not as expected, or undefined. */
async function placeAll(
  root: string,
  edits: readonly Edit[],
  ops: FileOps,
): Promise<string | undefined> {
  for (const [number, edit] of edits.entries()) {
    try {
      if (!(await placeOne(number, edit, ops))) return edit.path;
    } catch (error) {
      // The error itself names a file of the staging folder, or none.
      throw unwritableRefusal(error, join(root, edit.path), NOTHING_CHANGED) ?? error;
    }
    await ops.unstage(number);
  }
  return undefined;
}

const NOTHING_CHANGED = 'No file was changed.';

/** False if the path is not as expected. */
async function placeOne(number: number, edit: Edit, ops: FileOps): Promise<boolean> {
  for (let move = await nextMove(number, edit, ops); move !== 'done';) {
    if (move === 'changed') return false;
    if (move === 'set-aside')
      await ops.setAside(number, edit.path, { alsoFolders: edit.goal === undefined });
    else if (!(await ops.place(number, edit.path))) return false;
    move = await nextMove(number, edit, ops);
  }
  return true;
}

async function nextMove(number: number, edit: Edit, ops: FileOps): Promise<ApplyMove> {
  return nextApplyMove(edit, await ops.readTarget(edit.path), await ops.readAside(number));
}

export type ApplyMove = 'set-aside' | 'place' | 'done' | 'changed';

/** The next move for one edit, given what is at its path and what was moved aside from there. */
export function nextApplyMove(
  { expected, goal }: Edit,
  target: CurrentState,
  aside: CurrentState,
): ApplyMove {
  if (aside !== 'absent' && !isAt(aside, expected)) return 'changed';
  if (isAt(target, goal)) return 'done';
  // The file was moved away, and a later edit created a folder at its path.
  if (goal === undefined && target === 'folder' && aside !== 'absent') return 'done';
  if (target === 'absent')
    return aside !== 'absent' || expected === undefined ? 'place' : 'changed';
  return isAt(target, expected) && aside === 'absent' ? 'set-aside' : 'changed';
}

async function rollBack(
  edits: readonly Edit[],
  ops: FileOps,
  paths: readonly string[],
): Promise<AppliedEdits> {
  const leftAside: string[] = [];
  for (const [edit, { path, expected, goal }] of [...edits.entries()].toReversed()) {
    const aside = await ops.readAside(edit);
    const isOurs = expected === undefined ? !(await ops.isStaged(edit)) : aside !== 'absent';
    if (goal !== undefined && isOurs && isAt(await ops.readTarget(path), goal))
      await ops.removePlaced(edit, path, goal);
    if (aside === 'absent' || (await ops.restoreAside(edit, path))) continue;
    if (!isAt(aside, expected)) leftAside.push(path); // otherwise the before-ref still has it
  }
  if (leftAside.length === 0) await ops.removeStaging();
  return { kind: 'changed-meanwhile', paths, leftAside };
}

function isAt(now: CurrentState, file: TreeFileEntry | undefined): boolean {
  return typeof now === 'string' ? now === 'absent' && file === undefined : isSameFile(now, file);
}
