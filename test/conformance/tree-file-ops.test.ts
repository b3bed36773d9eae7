/** The real and the simulated file operations on trees give the same answers. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { TreeSteps } from '../simulate/world/tree-steps.ts';
import { TreeStore } from '../simulate/world/tree-store.ts';
import { PATHS } from '../simulate/world/trees-scenario.ts';
import { worldApplyOps, worldEyes } from '../simulate/world/world-apply-ops.ts';
import { WorldClock } from '../simulate/world/world-clock.ts';
import { buildTree, worldTreeOps } from '../simulate/world/world-tree-ops.ts';
import type { ApplyPlan } from '../../src/workspace/apply/apply.ts';
import { planApply, planWithReader } from '../../src/workspace/apply/apply.ts';
import type { FileOps } from '../../src/workspace/apply/execute-apply.ts';
import { executeEdits } from '../../src/workspace/apply/execute-apply.ts';
import { realFileOps } from '../../src/workspace/apply/file-ops.ts';
import {
  discardTree,
  assignTree,
  commitTree,
  readCommittedTree,
} from '../../src/workspace/commit-tree.ts';
import type { CurrentState } from '../../src/workspace/apply/plan-apply.ts';
import type { TreeFileOps } from '../../src/workspace/tree-file-ops.ts';
import { realTreeFileOps } from '../../src/workspace/tree-file-ops.ts';
import type { TreeFileEntry } from '../../src/workspace/tree-entries.ts';
import { openShadowRepo } from '../../src/workspace/shadow-repo.ts';
import type { WorkspaceId } from '../../src/workspace/workspace.ts';
import { workspacePaths } from '../../src/workspace/workspace.ts';
import { workspaceHarness, RUN } from '../workspace/workspace-harness.ts';
import { edit } from '../workspace/apply-fixture.ts';

type Files = Readonly<Record<string, string | null>>;

/** A project with one tree, which exists and is in use by no run. */
type Harness = {
  readonly place: WorkspaceId;
  readonly hands: TreeFileOps;
  readonly agentWrites: (files: Files) => Promise<void>;
  readonly userHas: (path: string) => Promise<string | undefined>;
  readonly plan: (commit: string) => Promise<ApplyPlan>;
  readonly handsOf: (plan: ApplyPlan) => Promise<FileOps>;
};

const BEFORE = Object.fromEntries(PATHS.map((path) => [path, `${path} as it was`]));
const WORK: Files = { 'a.txt': 'changed', 'b.txt': null, 'new.txt': 'new' };

/** Everything that can be seen without knowing how files are named inside. */
async function observe({ place, hands, plan, ...harness }: Harness): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  seen.push((await hands.record()) !== undefined, await hands.isThere(), await hands.readCommit());
  await harness.agentWrites(WORK);
  const first = await commitTree(place, hands);
  seen.push(
    first.changes.map(({ path, kind }) => [path, kind]),
    first.isChanged,
    first.oddities,
  );
  const again = await commitTree(place, hands);
  seen.push(again.commit === first.commit, again.isChanged);
  seen.push((await hands.readCommit()) === first.commit);
  seen.push((await hands.readCommittedFile())?.commit === first.commit);
  const lock = await hands.lock();
  seen.push(lock.kind, (await hands.lock()).kind);
  if (lock.kind === 'taken') lock.release();
  seen.push((await readCommittedTree(place, hands)).changes.map(({ path }) => path));

  const planned = await plan(first.commit);
  const name = namesOf(planned);
  seen.push(planned.edits.map(({ path, expected, goal }) => [path, name(expected), name(goal)]));
  const apply = await harness.handsOf(planned);
  const number = planned.edits.findIndex(({ path }) => path === 'a.txt');
  const goal = planned.edits[number]?.goal ?? assert.fail();
  const look = async (): Promise<readonly unknown[]> => [
    name(await apply.readTarget('a.txt')),
    name(await apply.readAside(number)),
    await apply.isStaged(number),
  ];
  seen.push(await apply.wasPlaced(), await look());
  await apply.saveUserState();
  await apply.stage([{ edit: number, path: 'a.txt', goal }]);
  seen.push(await look(), await apply.place(number, 'a.txt'));
  await apply.setAside(number, 'a.txt', { alsoFolders: false });
  seen.push(await look(), await apply.place(number, 'a.txt'), await look());
  seen.push(await apply.restoreAside(number, 'a.txt'));
  await apply.removePlaced(number, 'a.txt', goal);
  seen.push(await look(), await apply.restoreAside(number, 'a.txt'), await look());
  await apply.removeStaging();
  seen.push(
    await look(),
    await executeEdits(planned.workspace.root, planned.edits, apply),
    await apply.wasPlaced(),
  );
  for (const path of Object.keys(WORK)) seen.push([path, await harness.userHas(path)]);

  seen.push((await discardTree(place, hands)).kind, await hands.isThere());
  seen.push((await hands.readCommit()) === first.commit, (await discardTree(place, hands)).kind);
  return seen;
}

function namesOf({ edits }: ApplyPlan): (file: CurrentState | undefined) => string {
  return (file) => {
    if (file === undefined || typeof file === 'string') return file ?? 'nothing';
    const is = (other: TreeFileEntry | undefined): boolean => other?.id === file.id;
    if (edits.some(({ expected }) => is(expected))) return 'what was there';
    return edits.some(({ goal }) => is(goal)) ? 'the work' : 'something else';
  };
}

async function simulated(): Promise<Harness> {
  const [store, clock] = [new TreeStore(), new WorldClock()];
  const [steps, life] = [new TreeSteps(clock), { alive: true }];
  const place: WorkspaceId = { home: '/home', root: '/project', run: RUN, attempt: 1 };
  const step = { life, project: place.root };
  const hand = { ...step, name: 'test', isOver: () => false, onRemove: () => undefined };
  const hands = worldTreeOps(store, steps, place, hand);
  const build = { goesOnFrom: () => Promise.resolve(undefined), clock: clock.of(life) };
  const given = await assignTree(place, hands, () => buildTree(store, steps, place, hand, build));
  given.release();
  const witness = { touched: () => undefined, tidied: () => undefined };
  return {
    place,
    hands,
    async agentWrites(files) {
      const { work } = store.treeAt(place);
      for (const [path, text] of Object.entries(files))
        if (text === null) work?.delete(path);
        else work?.set(path, text);
    },
    userHas: async (path) => store.projectAt(place.root).files.get(path),
    plan: (commit) =>
      planWithReader(place, worldEyes(store, steps, place, hands, step), { commit }),
    handsOf: async (plan) => worldApplyOps(store, steps, plan, step, witness),
  };
}

test(
  'the simulated file operations on trees answer as the real ones do',
  { timeout: 300_000 },
  async () => {
    await using b = await workspaceHarness(BEFORE);
    const { id: workspace, work, release } = await b.make();
    release();
    const real = await observe({
      place: workspace,
      hands: realTreeFileOps(workspace, b.ports),
      agentWrites: (files) => edit(work, files),
      userHas: (path) => readFile(join(b.project, path), 'utf8').catch(() => undefined),
      plan: (commit) => planApply(workspace, b.ports, { commit }),
      handsOf: async (plan) =>
        realFileOps(
          await openShadowRepo(workspacePaths(workspace).project, b.ports),
          workspace,
          plan.before,
        ),
    });
    assert.deepEqual(await observe(await simulated()), real);
    assert.deepEqual(real.slice(0, 5), [
      true,
      true,
      undefined,
      [
        ['a.txt', 'modified'],
        ['b.txt', 'deleted'],
        ['new.txt', 'added'],
      ],
      true,
    ]);
  },
);
