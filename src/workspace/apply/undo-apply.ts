/**
 * Undoes an apply: each file that it changed becomes what it was before, all of them or none. If the user changed other
 * lines of a file since then, those stay. Where both changed the same lines, the undo is refused. Like an apply, an undo is planned, recorded and
 * executed, and an interrupted one is executed again.
 */
import { errnoCode } from '../../host/files/errno.ts';
import { join } from 'node:path';
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { writeFileAtomic } from '../../host/files/atomic-files.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import { readPermissions } from '../../host/files/tree/read-tree.ts';
import { inspectProject } from '../project.ts';
import { openShadowRepo } from '../shadow-repo.ts';
import { listNames, takeSnapshot } from '../snapshot.ts';
import { changeNames, isSameFile } from '../tree-entries.ts';
import { TREE_LIMITS } from '../tree-limits.ts';
import type { WorkspaceId, WorkspacePorts } from '../workspace.ts';
import { workspacePaths } from '../workspace.ts';
import type { ApplyPlan } from './apply.ts';
import { readCurrentState } from './apply.ts';
import { readState } from './file-ops.ts';
import { mergeAll } from './merge.ts';
import type { CurrentState, Edit, Merges } from './plan-apply.ts';
import { sortEdits } from './plan-apply.ts';

/** A plan that is recorded before it is executed. */
export type UndoPlan = Pick<ApplyPlan, 'version' | 'workspace' | 'commit' | 'before' | 'edits'> & {
  /** The state that it restores: `before` of the apply. */
  readonly restores: string;
};

/** The list of edits is small compared with the files, but they may be many. */
const EDITS_BYTES_MAX = 50_000_000;

/** An edit of an apply, with the permission bits of the file that it found. */
export type AppliedEdit = Pick<Edit, 'path' | 'expected' | 'goal'> & { readonly had?: number };

/** Keeps what an undo needs besides the contents. Called before the apply is executed. */
export async function saveForUndo({ workspace, before, edits }: ApplyPlan): Promise<void> {
  const saved: AppliedEdit[] = [];
  for (const { path, expected, goal } of edits) {
    const had = expected === undefined ? undefined : await readPermissions(workspace.root, path);
    saved.push({ path, ...defined({ expected, goal, had }) });
  }
  await writeFileAtomic(editsFile(workspace, before), JSON.stringify({ edits: saved }));
}

/** The edits of the apply that found the project in this state. */
export async function readAppliedEdits(
  workspace: WorkspaceId,
  before: string,
): Promise<readonly AppliedEdit[]> {
  const found = await findAppliedEdits(workspace, before);
  if (found !== undefined) return found;
  throw new Refusal({
    code: 'workspace.not-undoable',
    message: `The record of what the apply of run ${workspace.run} changed is gone.`,
    hint: 'Restore the files with your own git.',
  });
}

async function findAppliedEdits(
  workspace: WorkspaceId,
  before: string,
): Promise<readonly AppliedEdit[] | undefined> {
  const text = await readTextFile(editsFile(workspace, before), EDITS_BYTES_MAX);
  const found = parseJson(text ?? '');
  // Only `saveForUndo` writes this file, and replaces it whole.
  return isRecord(found) && Array.isArray(found['edits'])
    ? (found['edits'] as readonly AppliedEdit[])
    : undefined;
}

/** Of larger work it is not asked whether it is still applied: the answer would take too long. */
const CHECKED_FILES_MAX = 500;
const CHECKED_BYTES_MAX = 20_000_000;

/** Whether each file that the apply changed is still as the apply left it. Undefined: that is not known. */
export async function isStillApplied(
  workspace: WorkspaceId,
  before: string,
): Promise<boolean | undefined> {
  const edits = await findAppliedEdits(workspace, before);
  const bytes = edits?.reduce((sum, { goal }) => sum + (goal?.bytes ?? 0), 0) ?? 0;
  if (edits === undefined || edits.length > CHECKED_FILES_MAX || bytes > CHECKED_BYTES_MAX)
    return undefined;
  try {
    for (const { path, goal } of edits)
      if (!isAt(await readState(workspace.root, path), goal)) return false;
    return true;
  } catch (error) {
    // The project was moved or deleted. A list of runs must not fail because of one of them.
    if (errnoCode(error) === 'ENOENT' || errnoCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Changes nothing in the project. */
export async function planUndo(
  workspace: WorkspaceId,
  ports: WorkspacePorts,
  { commit, restores }: Pick<UndoPlan, 'commit' | 'restores'>,
): Promise<UndoPlan> {
  const { root, run, home } = workspace;
  const applied = await readAppliedEdits(workspace, restores);
  const repo = await openShadowRepo(workspacePaths(workspace).project, ports);
  const project = await inspectProject(ports, { path: root, home });
  const atMs = ports.clock.now();
  const snapshot = await takeSnapshot(repo, project, {
    limits: TREE_LIMITS,
    message: `What the user had before the apply of run ${run} was undone at ${atMs} ms`,
    atMs,
  });
  const current = new Map<string, CurrentState>();
  for (const { path } of applied) current.set(path, await readState(root, path));
  const back = applied.map(({ path, expected, goal }) => ({
    path,
    kind: 'modified' as const,
    ...defined({ before: goal, after: expected }),
  }));
  // Also stores the contents, which a merge reads.
  const stored = await readCurrentState(repo, root, back, snapshot.tree, TREE_LIMITS);
  const planned = undoEdits(applied, current, await mergeAll(repo, back, stored));
  if (planned.kind === 'changed') throw changedSince(run, planned.paths);
  return { version: 1, workspace, commit, restores, before: snapshot.commit, edits: planned.edits };
}

export type UndoEdits =
  | { readonly kind: 'edits'; readonly edits: readonly Edit[] }
  | { readonly kind: 'changed'; readonly paths: readonly string[] };

/** The edits that lead back. A file that is already as it was before needs none. */
export function undoEdits(
  applied: readonly AppliedEdit[],
  current: ReadonlyMap<string, CurrentState>,
  merges: Merges = new Map(),
): UndoEdits {
  const edits: Edit[] = [];
  const changed: string[] = [];
  for (const { path, expected, goal, had } of applied) {
    const state = current.get(path) ?? 'absent';
    if (isAt(state, expected)) continue;
    const merged = merges.get(path);
    if (merged !== undefined && typeof state !== 'string') {
      // The user may have taken the work out by hand.
      if (!isSameFile(state, merged)) edits.push({ path, expected: state, goal: merged });
      continue;
    }
    if (!isAt(state, goal) || (state === 'folder' && !hasWorkIn(path, applied))) changed.push(path);
    else
      edits.push({
        path,
        ...defined({ expected: goal, goal: expected, permissions: had }),
      });
  }
  return changed.length > 0
    ? { kind: 'changed', paths: changed }
    : { kind: 'edits', edits: sortEdits(edits) };
}

/** Whether the apply created the folder. Another folder belongs to the user. */
function hasWorkIn(folder: string, applied: readonly AppliedEdit[]): boolean {
  return applied.some(({ path, goal }) => goal !== undefined && path.startsWith(`${folder}/`));
}

/** A folder is at the path of a file that became a folder, or the other way round: no file is there. */
function isAt(state: CurrentState, file: Edit['goal']): boolean {
  if (state === 'other') return false;
  return isSameFile(typeof state === 'string' ? undefined : state, file);
}

function changedSince(run: string, paths: readonly string[]): Refusal {
  const names = listNames(changeNames(paths));
  return new Refusal({
    code: 'workspace.conflict',
    message: `${names} changed after the work of run ${run} was applied, and can't be merged. Nothing was undone.`,
    hint: `See what the run changed with: supervisor diff ${run}. Then restore the files yourself.`,
    details: { count: paths.length },
  });
}

function editsFile(workspace: WorkspaceId, before: string): string {
  return join(workspacePaths(workspace).record, '..', `applied-${before}.json`);
}
