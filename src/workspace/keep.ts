/** Work is never deleted: it is kept on a ref of the vault first. */
import { join } from 'node:path';
import { at } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { parseRunId } from '../base/ids.ts';
import type { RunId } from '../base/ids.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { writeFileAtomic } from '../host/files.ts';
import type { Holder } from '../host/lock-file.ts';
import { describeHolder, isLockHeld, takeLock } from '../host/lock-file.ts';
import { readSmallFile } from '../host/small-file.ts';
import { listFolder, readPath } from '../host/tree-read.ts';
import { moveAside, removeTree } from '../host/tree-write.ts';
import type { Comparison, CompareOptions } from './compare.ts';
import { compareWorkspace } from './compare.ts';
import type { Oddity } from './find-files.ts';
import { compareTrees } from './tree.ts';
import type { Vault } from './vault.ts';
import {
  makeDurable,
  openVault,
  readRef,
  readTree,
  treeOf,
  writeCommit,
  writeRef,
} from './vault.ts';
import type { Place, WorkspacePorts, WorkspaceRecord } from './workspace.ts';
import { keptRef, needRecord, pathsOf } from './workspace.ts';

export type Kept = Comparison & {
  readonly ref: string;
  readonly commit: string;
  /** Whether it differs from what was kept before, or where nothing was, from the base. */
  readonly isNews: boolean;
};

/** Compares a workspace and keeps what is in it. To keep the same twice changes nothing. */
export async function keepWorkspace(
  place: Place,
  ports: WorkspacePorts,
  options: CompareOptions = {},
): Promise<Kept> {
  const comparison = await compareWorkspace(place, ports, options);
  const record = await needRecord(place);
  const vault = await openVault(pathsOf(place).project, ports);
  const ref = keptRef(place);
  const earlier = await readRef(vault, ref);
  const parents = [record.base, ...(earlier === undefined ? [] : [earlier])];
  const isSame = earlier !== undefined && (await treeOf(vault, earlier)) === comparison.result;
  const commit = isSame
    ? earlier
    : await writeCommit(vault, {
        tree: comparison.result,
        parents, // what was kept before stays within reach
        message: `What attempt ${place.attempt} of run ${place.run} left`,
        atMs: ports.clock.now(),
      });
  // The oddities first: a commit on the ref whose oddities nobody knows could be applied.
  const kept = { commit, oddities: comparison.oddities };
  await writeFileAtomic(pathsOf(place).kept, `${JSON.stringify(kept)}\n`);
  if (!isSame) {
    await makeDurable(vault, commit, earlier ?? record.base);
    await writeRef(vault, ref, commit);
  }
  const isNews = earlier === undefined ? comparison.changes.length > 0 : !isSame;
  return { ...comparison, ref, commit, isNews };
}

export type KeptWork = Pick<Comparison, 'base' | 'before' | 'after' | 'changes'> & {
  readonly vault: Vault;
  readonly commit: string;
  readonly record: WorkspaceRecord;
  readonly oddities: readonly Oddity[];
};

/** What was kept last of an attempt, whether or not its tree is still there. */
export async function readKept(place: Place, ports: WorkspacePorts): Promise<KeptWork> {
  const record = await needRecord(place);
  const paths = pathsOf(place);
  const vault = await openVault(paths.project, ports);
  const commit = await readRef(vault, keptRef(place));
  const read = await readSmallFile(paths.kept, KEPT_BYTES_MAX);
  const noted = read.kind === 'text' ? parseJson(read.text) : undefined;
  if (commit === undefined || !isRecord(noted) || noted['commit'] !== commit)
    throw nothingKept(place);
  const { base } = record;
  const [before, after] = [await readTree(vault, base), await readTree(vault, commit)];
  const changes = compareTrees(before, after);
  const oddities = noted['oddities'] as readonly Oddity[];
  return { vault, record, commit, base, before, after, changes, oddities };
}

const KEPT_BYTES_MAX = 50_000_000;

export type Discarded =
  | { readonly kind: 'gone'; readonly ref: string }
  /** Some files can't be kept on a ref, so the tree stays where it is. */
  | { readonly kind: 'stays'; readonly ref: string; readonly because: readonly Oddity[] };

/** These have content that no ref can hold. The others are empty, or are kept as plain files. */
const UNKEEPABLE: readonly Oddity['kind'][] = [
  'forbidden-name',
  'name-is-not-text',
  'too-deep',
  'too-large',
  'unreadable',
];

/** Keeps the work and removes the tree. `evenUnkept` also removes what no ref can hold. */
export async function discardWorkspace(
  place: Place,
  ports: WorkspacePorts,
  { evenUnkept = false, limits }: CompareOptions & { readonly evenUnkept?: boolean } = {},
): Promise<Discarded> {
  const paths = pathsOf(place);
  await needRecord(place);
  const lock = await takeLock(paths.lock, {
    clock: ports.clock,
    purpose: `${place.run}/${place.attempt}`,
  });
  if (lock.kind === 'held') throw inUse(place, lock.by);
  try {
    const ref = keptRef(place);
    await removeTree(paths.gone); // of one that was cut off
    if ((await readPath(join(paths.work, '..'), 'work', 0)).kind === 'absent')
      return { kind: 'gone', ref };
    const { oddities } = await keepWorkspace(place, ports, limits === undefined ? {} : { limits });
    const because = oddities.filter(({ kind }) => UNKEEPABLE.includes(kind));
    if (because.length > 0 && !evenUnkept) return { kind: 'stays', ref, because };
    // In one step first: half a tree must never be taken for the work, and be kept as if it were.
    await moveAside(join(paths.work, '..'), 'work', paths.gone);
    await removeTree(paths.gone);
    return { kind: 'gone', ref };
  } finally {
    lock.release();
  }
}

export type Stale = {
  readonly place: Place;
  readonly atMs: number;
};

/** The workspaces of all projects that were made so long ago and that nobody works in. Changes nothing. */
export async function findStale(
  home: string,
  ports: WorkspacePorts,
  olderThanMs: number,
): Promise<readonly Stale[]> {
  const stale: Stale[] = [];
  for (const project of await folders(home, 'projects'))
    for (const run of await folders(home, `${project}/trees`))
      for (const attempt of await folders(home, run)) {
        const found = await lookAtTree(home, attempt);
        if (found === undefined || !found.isThere) continue;
        if (isLockHeld(pathsOf(found.place).lock)) continue;
        const { place, atMs } = found;
        if (ports.clock.now() - atMs >= olderThanMs) stale.push({ place, atMs });
      }
  return stale;
}

/** The last workspace that a run had, whether or not its tree is still there. */
export async function findLast(home: string, run: RunId): Promise<Place | undefined> {
  const found = [];
  for (const project of await folders(home, 'projects'))
    for (const attempt of await folders(home, `${project}/trees/${run}`))
      found.push(await lookAtTree(home, attempt));
  return found
    .flatMap((one) => (one === undefined ? [] : [one.place]))
    .toSorted((a, b) => a.attempt - b.attempt)
    .at(-1);
}

/** Its content as a commit that is kept: what lies in its tree, or what was kept before that was removed. */
export async function keepWhatIsLeft(
  place: Place,
  ports: WorkspacePorts,
): Promise<string | undefined> {
  if ((await readPath(join(pathsOf(place).work, '..'), 'work', 0)).kind === 'folder')
    return (await keepWorkspace(place, ports)).commit;
  return readRef(await openVault(pathsOf(place).project, ports), keptRef(place));
}

type Tree = Stale & { readonly isThere: boolean };

async function lookAtTree(home: string, attemptDir: string): Promise<Tree | undefined> {
  const read = await readSmallFile(join(home, attemptDir, 'record.json'), 1_000_000);
  const record = read.kind === 'text' ? parseJson(read.text) : undefined;
  if (!isRecord(record)) return undefined;
  const kinds = [];
  for (const name of ['work', 'gone'])
    kinds.push((await readPath(home, `${attemptDir}/${name}`, 0)).kind);
  const isThere = kinds.includes('folder');
  const run = parseRunId(String(record['run']));
  const { root, attempt, atMs } = record;
  if (run === undefined || typeof root !== 'string' || typeof attempt !== 'number')
    return undefined;
  return { place: { home, root, run, attempt }, atMs: at(Number(atMs)), isThere };
}

async function folders(home: string, folder: string): Promise<readonly string[]> {
  const entries = (await listFolder(home, folder)) ?? [];
  return entries.filter(({ kind }) => kind === 'folder').map(({ name }) => `${folder}/${name}`);
}

function nothingKept({ run, attempt }: Place): Refusal {
  return new Refusal({
    code: 'workspace.not-found',
    message: `Nothing of attempt ${attempt} of run ${run} is kept.`,
    hint: 'It is kept when the attempt has ended.',
  });
}

function inUse({ run, attempt }: Place, by: Holder | undefined): Refusal {
  return new Refusal({
    code: 'workspace.busy',
    message: `The workspace of attempt ${attempt} of run ${run} is in use by ${describeHolder(by)}.`,
    hint: `Stop it first with: supervisor stop ${run}`,
    details: by === undefined ? {} : { pid: by.pid },
  });
}
