/** The file operations of an apply in the simulated world. */
import type { ApplyReader, ApplyPlan } from '../../../src/workspace/apply/apply.ts';
import type { FileOps } from '../../../src/workspace/apply/execute-apply.ts';
import { readCommittedTree } from '../../../src/workspace/commit-tree.ts';
import type { CurrentState } from '../../../src/workspace/apply/plan-apply.ts';
import { pathsToMerge } from '../../../src/workspace/apply/plan-apply.ts';
import type { TreeFileOps } from '../../../src/workspace/tree-file-ops.ts';
import type { WorkspaceId } from '../../../src/workspace/workspace.ts';
import { appliedRef, beforeRef, workRef } from '../../../src/workspace/workspace.ts';
import type { Staging, TreeStore } from './tree-store.ts';
import { fileOf, treeOf } from './tree-store.ts';
import type { Step, TreeSteps } from './tree-steps.ts';

export function worldEyes(
  store: TreeStore,
  steps: TreeSteps,
  place: WorkspaceId,
  hands: TreeFileOps,
  step: Step,
): ApplyReader {
  const { files } = store.projectAt(place.root);
  return {
    readCommitted: () => readCommittedTree(place, hands),
    readLink: () => Promise.resolve(''),
    snapshot: () =>
      steps.take(step, () => {
        const tree = treeOf(files);
        return { tree, commit: store.commit(tree, [], true) };
      }),
    readCurrent: (changes) =>
      steps.take(
        step,
        () => new Map(changes.map(({ path }) => [path, nowAt(files.get(path))] as const)),
      ),
    // Two users who wrote the same line: this world merges nothing.
    merge: (changes, now) =>
      Promise.resolve(
        new Map(pathsToMerge(changes, now).map(({ path }) => [path, undefined] as const)),
      ),
  };
}

export type ApplyWitness = {
  /** A user's file is about to change. */
  readonly touched: (path: string) => void;
  /** No temporary file of this apply is left. */
  readonly tidied: () => void;
};

/**
 * As on a real disk, placing a file is two steps: it exists at its target before it is removed from
 * staging.
 */
export function worldApplyOps(
  store: TreeStore,
  steps: TreeSteps,
  { workspace, before, edits }: ApplyPlan,
  step: Step,
  { touched, tidied }: ApplyWitness,
): FileOps {
  const { root } = workspace;
  const { files } = store.projectAt(root);
  const take = <Value>(work: () => Value): Promise<Value> => steps.take(step, work);
  const takeAt = <Value>(path: string, work: () => Value): Promise<Value> =>
    steps.take({ ...step, path }, work);
  const staging = (): Staging => store.stagingAt(workspace);
  const put = async (from: 'fresh' | 'aside', edit: number, path: string): Promise<boolean> => {
    const isPlaced = await takeAt(path, () => {
      const file = staging()[from].get(edit);
      if (file === undefined) throw new Error(`nothing is staged for ${path}`);
      if (files.has(path)) return false;
      touched(path);
      files.set(path, file.id);
      if (from === 'fresh' && staging().reached.get(edit) !== USERS)
        staging().reached.set(edit, store.writes);
      return true;
    });
    if (isPlaced) await take(() => staging()[from].delete(edit));
    return isPlaced;
  };
  return {
    wasPlaced: () => take(() => store.refs.get(appliedRef(workspace)) === before),
    saveUserState: () => take(() => void store.refs.set(beforeRef(workspace), before)),
    readTarget: (path) => take(() => nowAt(files.get(path))),
    readAside: (edit) => take(() => staging().aside.get(edit) ?? 'absent'),
    isStaged: (edit) => take(() => staging().fresh.has(edit)),
    async stage(staged) {
      for (const { edit, goal } of staged) await take(() => void staging().fresh.set(edit, goal));
    },
    unstage: (edit) => take(() => void staging().fresh.delete(edit)),
    setAside: (edit, path) =>
      takeAt(path, () => {
        const text = files.get(path);
        if (text === undefined) return;
        touched(path);
        files.delete(path);
        staging().aside.set(edit, fileOf(text));
        const isExpected = text === edits[edit]?.expected?.id;
        staging().reached.set(edit, isExpected ? store.writes : USERS);
      }),
    place: (edit, path) => put('fresh', edit, path),
    restoreAside: (edit, path) => put('aside', edit, path),
    removePlaced: (_edit, path, goal) =>
      takeAt(path, () => {
        if (files.get(path) !== goal.id) return;
        touched(path);
        files.delete(path);
      }),
    markPlaced: () =>
      take(() => {
        store.refs.set(appliedRef(workspace), before);
        store.applied(workspace, edits);
      }),
    removeStaging: () =>
      take(() => {
        store.stagings.delete(workRef(workspace));
        tidied();
      }),
  };
}

/**
 * The file that was set aside differs from the plan: the user wrote it since, so it stays the
 * user's.
 */
const USERS = -1;

function nowAt(text: string | undefined): CurrentState {
  return text === undefined ? 'absent' : fileOf(text);
}
