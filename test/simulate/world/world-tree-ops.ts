/**
 * The file operations on the trees of the simulated world. Each is a step, and a fault can occur
 * before it.
 */
import type { Clock } from '../../../src/base/clock.ts';
import { compareTrees, changeNames } from '../../../src/workspace/tree-entries.ts';
import type { EarlierCommit } from '../../../src/workspace/create-workspace.ts';
import type { TreeFileOps } from '../../../src/workspace/tree-file-ops.ts';
import type { WorkspaceId, WorkspaceRecord } from '../../../src/workspace/workspace.ts';
import { workRef } from '../../../src/workspace/workspace.ts';
import type { TreeStore } from './tree-store.ts';
import { idOf, treeOf, UNKEEPABLE_PATH } from './tree-store.ts';
import type { Step, TreeSteps } from './tree-steps.ts';

/** The run or apply that it works for. */
export type TreeOpsOwner = Step & {
  readonly name: string;
  readonly isOver: () => boolean;
  /** A tree is about to be removed. */
  readonly onRemove: (place: WorkspaceId) => void;
};

export function worldTreeOps(
  store: TreeStore,
  steps: TreeSteps,
  place: WorkspaceId,
  hand: TreeOpsOwner,
): TreeFileOps {
  const tree = store.treeAt(place);
  const ref = workRef(place);
  const step = <Value>(work: () => Value): Promise<Value> => steps.take(hand, work);
  const commitAt = (id: string) => store.commits.get(id) ?? missing(id);
  return {
    lock: () =>
      step(() => {
        if (tree.holder?.isOver() === false) return { kind: 'held', by: undefined };
        const holder = { name: hand.name, isOver: hand.isOver };
        tree.holder = holder;
        const release = (): void => {
          if (tree.holder === holder) tree.holder = undefined;
        };
        return { kind: 'taken', release };
      }),
    record: () => step(() => tree.record),
    isThere: () => step(() => tree.work !== undefined),
    compare: () =>
      step(() => {
        const base = tree.record?.base ?? missing('a record');
        const [before, after] = [commitAt(base).files, treeOf(tree.work ?? new Map())];
        const isOdd = tree.work?.has(UNKEEPABLE_PATH) === true;
        return {
          ...{ base, result: idOf(after), before, after, changes: compareTrees(before, after) },
          ...{ outside: [], ignored: changeNames([]), rulesChanged: false },
          oddities: isOdd ? [{ kind: 'too-large', path: UNKEEPABLE_PATH }] : [],
        };
      }),
    readCommit: () =>
      step(() => {
        const commit = store.refs.get(ref);
        return commit === undefined || store.isLost(commit) ? undefined : commit;
      }),
    readCommittedFile: () => step(() => tree.keptFile),
    writeCommittedFile: (saved) => step(() => void (tree.keptFile = saved)),
    readTreeId: (commit) => step(() => idOf(commitAt(commit).files)),
    readFiles: (commit) => step(() => commitAt(commit).files),
    commit: (id, parents) =>
      step(() => {
        const files = treeOf(tree.work ?? new Map());
        if (idOf(files) !== id) throw new Error('a tree changed while it was kept');
        return store.commit(files, parents);
      }),
    makeDurable: (commit) => step(() => void (commitAt(commit).isDurable = true)),
    setRef: (commit) => step(() => void store.refs.set(ref, commit)),
    setAside: () =>
      step(() => {
        hand.onRemove(place);
        tree.aside = tree.work;
        tree.work = undefined;
        tree.truth = undefined;
      }),
    removeAside: () => step(() => void (tree.aside = undefined)),
  };
}

/**
 * Fills a tree with the user's files, or with the saved work of another run. Its record comes last.
 */
export async function buildTree(
  store: TreeStore,
  steps: TreeSteps,
  place: WorkspaceId,
  hand: TreeOpsOwner,
  {
    goesOnFrom,
    clock,
  }: { readonly goesOnFrom: () => Promise<EarlierCommit | undefined>; readonly clock: Clock },
): Promise<WorkspaceRecord> {
  const tree = store.treeAt(place);
  await steps.take(hand, () => (tree.work = undefined));
  const earlier = await goesOnFrom();
  const { record, files } = await steps.take(hand, () => {
    const elsewhere = earlier === undefined ? undefined : store.treeAt(earlier.workspace).record;
    const isThere = earlier !== undefined && !store.isLost(earlier.commit);
    const content = isThere ? store.filesOf(earlier.commit) : undefined;
    const { run, attempt, root } = place;
    const own = { run, attempt, root, continues: null, atMs: clock.now() };
    if (elsewhere !== undefined && content !== undefined)
      return { record: { ...elsewhere, ...own }, files: content };
    const now = treeOf(store.projectAt(root).files);
    const base = store.commit(now, [], true);
    const fresh = { ...FRESH, ...own, base };
    return { record: fresh, files: now };
  });
  await steps.take(hand, () => {
    tree.work = new Map([...files].map(([path, { id }]) => [path, id]));
  });
  return steps.take(hand, () => {
    tree.truth ??= new Map(tree.work);
    return (tree.record = record);
  });
}

const FRESH = {
  ...({ version: 1, kind: 'folder', head: null, inside: '' } as const),
  repositories: [],
  notes: [],
};

function missing(what: string): never {
  throw new Error(`${what} is not there`);
}
