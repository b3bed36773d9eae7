/**
 * Carries out the edits of an apply on the user's tree, all or none. Each move is decided from what
 * lies on the disk, so an apply that was cut off anywhere is carried out again from its plan. What is
 * replaced is moved aside and looked at there: a byte the user wrote meanwhile is put back.
 */
import type { Edit, CurrentState } from './plan-apply.ts';
import type { TreeFileEntry } from '../tree-entries.ts';
import { isSameFile } from '../tree-entries.ts';

/** Everything an apply does to the machine. The number names the edit's own files in the staging folder. */
export interface FileOps {
  /** Whether all edits were once in place: from then on the tree is the user's again. */
  wasPlaced(): Promise<boolean>;
  /** Keeps what the user has on a ref. */
  keepBefore(): Promise<void>;
  target(path: string): Promise<CurrentState>;
  aside(edit: number): Promise<CurrentState>;
  isStaged(edit: number): Promise<boolean>;
  /** Prepares what is to be placed, on the disk for good. */
  stage(staged: readonly Staged[]): Promise<void>;
  unstage(edit: number): Promise<void>;
  /** Moves what lies at the path aside, and removes folders that are empty then if asked to. */
  setAside(edit: number, path: string, options: { readonly alsoFolders: boolean }): Promise<void>;
  /** False when the path is taken. */
  place(edit: number, path: string): Promise<boolean>;
  /** Puts back what was set aside. False when the path is taken. */
  putBack(edit: number, path: string): Promise<boolean>;
  /** Removes what was placed, if it still is what was placed. */
  takeBack(edit: number, path: string, goal: TreeFileEntry): Promise<void>;
  markPlaced(): Promise<void>;
  /** Removes the staging folder and all in it. */
  tidy(): Promise<void>;
}

type Staged = { readonly edit: number; readonly path: string; readonly goal: TreeFileEntry };

export type AppliedEdits =
  | { readonly kind: 'applied' }
  /** Nothing was changed in the end. `leftAside`: what the user wrote in between lies in the staging folder. */
  | {
      readonly kind: 'changed-meanwhile';
      readonly paths: readonly string[];
      readonly leftAside: readonly string[];
    };

export async function executeEdits(edits: readonly Edit[], hands: FileOps): Promise<AppliedEdits> {
  if (await hands.wasPlaced()) {
    await hands.tidy();
    return { kind: 'applied' };
  }
  await hands.keepBefore();
  try {
    const staged: Staged[] = [];
    for (const [edit, { path, goal }] of edits.entries())
      if (goal !== undefined && !isAt(await hands.target(path), goal))
        staged.push({ edit, path, goal });
    await hands.stage(staged);
    const changed = await placeAll(edits, hands);
    if (changed !== undefined) return await giveUp(edits, hands, [changed]);
  } catch (error) {
    await giveUp(edits, hands, []);
    throw error; // a full or closed disk: nothing is half done, and the caller hears why
  }
  await hands.markPlaced();
  await hands.tidy();
  return { kind: 'applied' };
}

/** The path that was not as expected, or undefined. */
async function placeAll(edits: readonly Edit[], hands: FileOps): Promise<string | undefined> {
  for (const [number, edit] of edits.entries()) {
    for (let move = await look(number, edit, hands); move !== 'done';) {
      if (move === 'changed') return edit.path;
      if (move === 'set-aside')
        await hands.setAside(number, edit.path, { alsoFolders: edit.goal === undefined });
      else if (!(await hands.place(number, edit.path))) return edit.path;
      move = await look(number, edit, hands);
    }
    await hands.unstage(number);
  }
  return undefined;
}

async function look(number: number, edit: Edit, hands: FileOps): Promise<ApplyMove> {
  return nextApplyMove(edit, await hands.target(edit.path), await hands.aside(number));
}

export type ApplyMove = 'set-aside' | 'place' | 'done' | 'changed';

/** What to do about one edit, given what lies at its path and what was moved aside from there. */
export function nextApplyMove(
  { expected, goal }: Edit,
  target: CurrentState,
  aside: CurrentState,
): ApplyMove {
  if (aside !== 'absent' && !isAt(aside, expected)) return 'changed';
  if (isAt(target, goal)) return 'done';
  // A file was moved away and a later edit has made a folder in its place.
  if (goal === undefined && target === 'folder' && aside !== 'absent') return 'done';
  if (target === 'absent')
    return aside !== 'absent' || expected === undefined ? 'place' : 'changed';
  return isAt(target, expected) && aside === 'absent' ? 'set-aside' : 'changed';
}

async function giveUp(
  edits: readonly Edit[],
  hands: FileOps,
  paths: readonly string[],
): Promise<AppliedEdits> {
  const leftAside: string[] = [];
  for (const [edit, { path, expected, goal }] of [...edits.entries()].toReversed()) {
    const aside = await hands.aside(edit);
    const isOurs = expected === undefined ? !(await hands.isStaged(edit)) : aside !== 'absent';
    if (goal !== undefined && isOurs && isAt(await hands.target(path), goal))
      await hands.takeBack(edit, path, goal);
    if (aside === 'absent' || (await hands.putBack(edit, path))) continue;
    if (!isAt(aside, expected)) leftAside.push(path); // else it is kept on the ref of before
  }
  if (leftAside.length === 0) await hands.tidy();
  return { kind: 'changed-meanwhile', paths, leftAside };
}

function isAt(now: CurrentState, file: TreeFileEntry | undefined): boolean {
  return typeof now === 'string' ? now === 'absent' && file === undefined : isSameFile(now, file);
}
