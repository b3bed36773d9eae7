/**
 * Takes an attempt's kept work over into the user's tree. First a plan, which changes nothing and is
 * to be written down; then its carrying out, which is written down again. Between the two, and within
 * the second, we may be killed: the same plan is then carried out once more.
 */
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { describeHolder, takeLock } from '../host/lock-file.ts';
import { readPath } from '../host/tree-read.ts';
import type { CarriedOut, Hands } from './carry-out.ts';
import { carryOut } from './carry-out.ts';
import { realHands } from './hands.ts';
import type { KeptWork } from './keep.ts';
import { readKept } from './keep.ts';
import type { TreeLimits } from './limits.ts';
import { TREE_LIMITS } from './limits.ts';
import { mergeAll } from './merge.ts';
import type { Edit, Now, Objection } from './plan-apply.ts';
import { objections, planEdits } from './plan-apply.ts';
import { lookAtProject } from './project.ts';
import { listed, takeSnapshot } from './snapshot.ts';
import { takeIn } from './take-in.ts';
import type { Change, Names, Tree } from './tree.ts';
import { compareTrees, namesOf } from './tree.ts';
import type { Vault } from './vault.ts';
import { openVault, readBlob } from './vault.ts';
import type { Place, WorkspacePorts } from './workspace.ts';
import { pathsOf } from './workspace.ts';

export type ApplyRequest = {
  /** The kept commit that the gates have seen; nothing else is applied. */
  readonly commit: string;
  readonly symlinks?: 'refused' | 'inside';
  readonly allowed?: readonly string[];
  readonly excludesFile?: string;
  readonly limits?: TreeLimits;
};

/** A value to be written down before it is carried out. */
export type ApplyPlan = {
  readonly version: 1;
  readonly place: Place;
  readonly commit: string;
  /** In the vault: what the user had when the plan was made. */
  readonly before: string;
  readonly edits: readonly Edit[];
  /** Files that the user and the agent both changed, each elsewhere in it. */
  readonly merged: readonly string[];
  /** What the user changed since the workspace was made. If anything, the gates have not seen the whole. */
  readonly userChanges: Names;
};

export async function planApply(
  place: Place,
  ports: WorkspacePorts,
  request: ApplyRequest,
): Promise<ApplyPlan> {
  const ready = await examine(place, ports, request);
  const { vault, changes } = ready;
  const limits = request.limits ?? TREE_LIMITS;
  const project = await lookAtProject(ports, { path: place.root, home: place.home });
  const snapshot = await takeSnapshot(vault, project, {
    limits,
    ...(request.excludesFile === undefined ? {} : { excludesFile: request.excludesFile }),
    message: `What the user had before attempt ${place.attempt} of run ${place.run} was applied`,
    atMs: ports.clock.now(),
  });
  const now = await lookAtPaths(vault, place.root, changes, snapshot.tree, limits);
  const merges = await mergeAll(vault, changes, now);
  const planned = planEdits(changes, now, merges);
  if (planned.kind === 'conflict') throw conflict(planned.paths);
  return {
    version: 1,
    place,
    commit: request.commit,
    before: snapshot.commit,
    edits: planned.edits,
    merged: [...merges.keys()],
    userChanges: namesOf(compareTrees(ready.before, snapshot.tree).map(({ path }) => path)),
  };
}

/** Refuses with `workspace.busy` while another apply to the same project is under way. */
export async function carryOutApply(
  plan: ApplyPlan,
  ports: WorkspacePorts,
  handsOf: (vault: Vault) => Hands = (vault) => realHands(vault, plan.place, plan.before),
): Promise<CarriedOut> {
  const { project } = pathsOf(plan.place);
  const vault = await openVault(project, ports);
  const release = await lockProject(plan.place, ports);
  try {
    return await carryOut(plan.edits, handsOf(vault));
  } finally {
    release();
  }
}

/** One apply at a time to one project. */
export async function lockProject(place: Place, { clock }: WorkspacePorts): Promise<() => void> {
  const lock = await takeLock(join(pathsOf(place).project, 'apply.lock'), {
    clock,
    purpose: `apply ${place.run}/${place.attempt}`,
  });
  if (lock.kind === 'taken') return lock.release;
  throw new Refusal({
    code: 'workspace.busy',
    message: `Another apply to ${place.root} is under way${lock.by === undefined ? '' : ` ("${lock.by.purpose}")`}, in ${describeHolder(lock.by)}.`,
    hint: 'Try again when it is done.',
    details: lock.by === undefined ? {} : { pid: lock.by.pid },
  });
}

/** The kept work, once nothing speaks against letting it out. */
export async function examine(
  place: Place,
  ports: WorkspacePorts,
  request: ApplyRequest,
): Promise<KeptWork> {
  const kept = await readKept(place, ports);
  if (kept.commit !== request.commit) throw notSeen(place, request);
  const links = new Map<string, string>();
  for (const { path, after: is } of kept.changes)
    if (is?.mode === '120000') links.set(path, (await readBlob(kept.vault, is)).toString('utf8'));
  const against = objections({
    ...kept,
    repositories: kept.record.repositories,
    links,
    symlinks: request.symlinks ?? 'refused',
    ...(request.allowed === undefined ? {} : { allowed: request.allowed }),
  });
  if (against.length > 0) throw unsafe(against);
  return kept;
}

/** What lies at each path that is to be changed, ignored or not, and whether its folder can be one. */
async function lookAtPaths(
  vault: Vault,
  root: string,
  changes: readonly Change[],
  known: Tree,
  limits: TreeLimits,
): Promise<ReadonlyMap<string, Now>> {
  const paths = changes.map(({ path }) => path);
  const { tree, oddities } = await takeIn(vault, root, paths, known, limits);
  const now = new Map<string, Now>(tree);
  for (const { path } of oddities) now.set(path, 'other');
  const deleted = new Set(changes.filter((one) => one.after === undefined).map(({ path }) => path));
  const blocked = new Map<string, boolean>();
  for (const { path, after } of changes) {
    if (after === undefined) continue;
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
      const folder = path.slice(0, end);
      if (!blocked.has(folder)) {
        const { kind } = await readPath(root, folder, 0);
        blocked.set(folder, kind !== 'folder' && kind !== 'absent' && !deleted.has(folder));
      }
      if (blocked.get(folder) === true) now.set(path, 'other');
    }
  }
  return now;
}

export function conflict(paths: readonly string[]): Refusal {
  return new Refusal({
    code: 'workspace.conflict',
    message: `You have changed what the agent changed too: ${listed(namesOf(paths))}. Nothing was applied.`,
    hint: 'Take the work over on a branch with --branch, and merge it there.',
    details: { count: paths.length },
  });
}

function unsafe(against: readonly Objection[]): Refusal {
  const words = against.slice(0, 5).map(({ path, why }) => `${JSON.stringify(path)} ${why}`);
  const more = against.length > 5 ? `; and ${against.length - 5} more` : '';
  return new Refusal({
    code: 'workspace.unsafe-change',
    message: `This may not leave the workspace: ${words.join('; ')}${more}. Nothing was applied.`,
    hint: 'Look at the work with: supervisor diff',
    details: { count: against.length },
  });
}

function notSeen({ run, attempt }: Place, { commit }: Pick<ApplyRequest, 'commit'>): Refusal {
  return new Refusal({
    code: 'workspace.not-found',
    message: `${commit.slice(0, 12)} is not what was kept of attempt ${attempt} of run ${run}.`,
    hint: 'Let the gates see the work as it is now.',
  });
}
