/**
 * The trees of the simulated world as the components of an owner see them: for applies and for
 * prunes.
 */
import { Refusal } from '../../../src/base/errors.ts';
import type { RunId } from '../../../src/base/ids.ts';
import type { Leftovers } from '../../../src/owner/runs/prune-leftovers.ts';
import type { RunTrees } from '../../../src/owner/runs/run-trees.ts';
import { refuseIfChanged } from '../../../src/owner/runs/run-trees.ts';
import { planWithReader } from '../../../src/workspace/apply/apply.ts';
import { executeEdits } from '../../../src/workspace/apply/execute-apply.ts';
import { discardTree, commitLeftoverTree } from '../../../src/workspace/commit-tree.ts';
import type { TreeFileOps } from '../../../src/workspace/tree-file-ops.ts';
import type { WorkspaceId } from '../../../src/workspace/workspace.ts';
import { workRef } from '../../../src/workspace/workspace.ts';
import type { Step } from './tree-steps.ts';
import type { TreesWorld } from './trees-world.ts';
import type { OwnerProcess } from './virtual-machine.ts';
import { worldApplyOps, worldEyes } from './world-apply-ops.ts';

type HandsOf = (place: WorkspaceId) => TreeFileOps;

export function worldRunTrees(world: TreesWorld, life: OwnerProcess, handsOf: HandsOf): RunTrees {
  const { store, steps, slowMs } = world;
  const stepIn = ({ root }: WorkspaceId): Step => ({ life, project: root, slowMs });
  return {
    last: async (run) => {
      const own = [...store.trees.values()].filter(
        ({ place, record }) => place.run === run && record !== undefined,
      );
      return own
        .map(({ place }) => place)
        .toSorted((a, b) => a.attempt - b.attempt)
        .at(-1);
    },
    commitLeftovers: (place) => commitLeftoverTree(place, handsOf(place)),
    discard: (place) => discardTree(place, handsOf(place)),
    diff: () => Promise.reject(new Error('not used here')),
    isUnchanged: () => Promise.resolve(false),
    approvals: () => Promise.resolve([]),
    plan: async (place, commit) => {
      const eyes = worldEyes(store, steps, place, handsOf(place), stepIn(place));
      return { kind: 'tree', plan: await planWithReader(place, eyes, { commit }) };
    },
    planUndo: () => Promise.reject(new Error('not used here')),
    isStillApplied: () => Promise.resolve(undefined),
    appliedFiles: () => Promise.reject(new Error('not used here')),
    async execute({ kind, plan }) {
      if (kind !== 'tree') throw new Error('not used here');
      const { root, run } = plan.workspace;
      const isHeld = store.locks.get(root);
      if (isHeld?.() === true) throw busy(root);
      const mine = (): boolean => life.alive;
      store.locks.set(root, mine);
      const hands = worldApplyOps(store, steps, plan, stepIn(plan.workspace), {
        touched: (path) => world.touched(run, path),
        tidied: () => world.tidied(run, root),
      });
      try {
        return refuseIfChanged(
          await executeEdits(plan.workspace.root, plan.edits, hands),
          plan.workspace,
        );
      } finally {
        if (store.locks.get(root) === mine) store.locks.delete(root);
      }
    },
    readPlan: (place) => steps.take(stepIn(place), () => store.treeAt(place).plan),
    writePlan: (place, text) =>
      steps.take(stepIn(place), () => void (store.treeAt(place).plan = text)),
    removePlan: (place) =>
      steps.take(stepIn(place), () => void (store.treeAt(place).plan = undefined)),
  };
}

export function worldLeftovers(world: TreesWorld, life: OwnerProcess, handsOf: HandsOf): Leftovers {
  const { store, steps, slowMs } = world;
  return {
    listForRuns: async () => [
      ...[...store.trees.values()].flatMap(({ place, record, work, aside, holder }) => {
        const isThere = record !== undefined && (work !== undefined || aside !== undefined);
        if (!isThere || holder?.isOver() === false) return [];
        const { run } = place;
        return [
          { kind: 'workspace' as const, run, path: workRef(place), workspace: place, bytes: 1 },
        ];
      }),
      ...[...store.folders].map((run) => ({
        ...({ kind: 'output', run: run as RunId, path: run, workspace: null, bytes: 1 } as const),
      })),
    ],
    briefs: () => Promise.resolve([]),
    discard: (place) => discardTree(place, handsOf(place)),
    remove: (path) =>
      steps.take({ life, project: '', slowMs }, () => {
        world.cleared(path);
        store.folders.delete(path);
      }),
    // Folders of this world hold no files, so no life leaves any.
    filesIn: () => Promise.resolve([]),
    removeFiles: () => Promise.resolve(),
  };
}

function busy(root: string): Refusal {
  return new Refusal({
    code: 'workspace.busy',
    message: `Another apply to ${root} is running.`,
    hint: 'Try again when it is done.',
  });
}
