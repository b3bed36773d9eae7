/**
 * A work queue as a folder: each plain file in it is an item, the first by name is next, and an
 * agent claims it by moving it. Claimed items are in `claimed/RUN/`, so that a claim survives the
 * death of the owner; finished items are in `done/`. Links, folders, hidden files and large files
 * are ignored.
 */
import type { Clock } from '../../base/clock.ts';
import type { CommandContext, CommandRequest, Performer } from '../../engine/performer.ts';
import { errnoCode } from '../../host/files/errno.ts';
import { listTreeFolder, readPath } from '../../host/files/tree/read-tree.ts';
import { makeFolder, moveInside, removeEmptyFolder } from '../../host/files/tree/write-tree.ts';
import type { ReleaseItemResult, ClaimItemResult } from '../../protocol/commands.ts';

/** The file operations on a queue's folder. */
export type QueueFiles = {
  readonly listFolder: typeof listTreeFolder;
  readonly readPath: typeof readPath;
  readonly makeFolder: typeof makeFolder;
  readonly moveInside: typeof moveInside;
  readonly removeEmptyFolder: typeof removeEmptyFolder;
};

const THIS_MACHINE: QueueFiles = {
  listFolder: listTreeFolder,
  readPath,
  makeFolder,
  moveInside,
  removeEmptyFolder,
};

export type QueuePorts = {
  readonly clock: Clock;
  /** Default: the file system of this machine. */
  readonly files?: QueueFiles;
};

const LOOK_EVERY_MS = 30_000;
const ITEM_BYTES_MAX = 100_000;
const CLAIMED = 'claimed';
const DONE = 'done';

export function claimItemPerformer({
  clock,
  files = THIS_MACHINE,
}: QueuePorts): Performer<'claim-item'> {
  return {
    command: 'claim-item',
    perform: (request, context) => orRefused(() => take(request, context, { clock, files })),
  };
}

export function releaseItemPerformer(files: QueueFiles = THIS_MACHINE): Performer<'release-item'> {
  return {
    command: 'release-item',
    perform: (request) => orRefused(() => releaseItem(request, files)),
  };
}

async function take(
  { run, input: { dir, waits } }: CommandRequest<'claim-item'>,
  context: CommandContext<'claim-item'>,
  { clock, files }: Required<QueuePorts>,
): Promise<ClaimItemResult> {
  for (;;) {
    const found = (await nextIn(dir, `${CLAIMED}/${run}`, files)) ?? (await claim(dir, run, files));
    if (found !== undefined) return found;
    if (!waits) return { kind: 'empty' };
    if (!(await clock.sleep(LOOK_EVERY_MS, context.cancelSignal))) return { kind: 'cancelled' };
  }
}

/** If several agents want the same item, the first gets it and the others continue with the next item. */
async function claim(
  dir: string,
  run: string,
  files: QueueFiles,
): Promise<ClaimItemResult | undefined> {
  const mine = `${CLAIMED}/${run}`;
  for (const name of await filesIn(dir, '', files)) {
    if ((await files.readPath(dir, name, ITEM_BYTES_MAX)).kind !== 'file') continue;
    if (!(await files.makeFolder(dir, mine)))
      return { kind: 'refused', why: `something is in the way of ${dir}/${mine}` };
    if (!(await files.moveInside(dir, name, `${mine}/${name}`))) continue;
    const taken = await nextIn(dir, mine, files);
    if (taken !== undefined) return taken;
  }
  return undefined;
}

async function nextIn(
  dir: string,
  folder: string,
  files: QueueFiles,
): Promise<ClaimItemResult | undefined> {
  for (const name of await filesIn(dir, folder, files)) {
    const read = await files.readPath(dir, `${folder}/${name}`, ITEM_BYTES_MAX);
    if (read.kind === 'file') return { kind: 'claimed', name, text: read.content.toString('utf8') };
  }
  return undefined;
}

/** May be repeated: an item that is not among the claimed ones was put away before. */
async function releaseItem(
  { run, input: { dir, name, to } }: CommandRequest<'release-item'>,
  files: QueueFiles,
): Promise<ReleaseItemResult> {
  const mine = `${CLAIMED}/${run}`;
  const folder = to === 'done' ? DONE : '';
  if (!(await files.makeFolder(dir, folder)))
    return { kind: 'refused', why: `something is in the way of ${dir}/${folder}` };
  for (const one of name === null ? await filesIn(dir, mine, files) : [name]) {
    const free = await freeName(dir, folder, one, files);
    await files.moveInside(dir, `${mine}/${one}`, folder === '' ? free : `${folder}/${free}`);
  }
  // Only its own folder: another agent may be about to claim an item in the shared one above.
  await files.removeEmptyFolder(dir, mine);
  return { kind: 'released' };
}

/** Finds a name that overwrites no file. */
async function freeName(
  dir: string,
  folder: string,
  name: string,
  files: QueueFiles,
): Promise<string> {
  const there = new Set((await files.listFolder(dir, folder))?.map((entry) => entry.name));
  if (!there.has(name)) return name;
  let number = 2;
  while (there.has(`${name}.${number}`)) number += 1;
  return `${name}.${number}`;
}

async function filesIn(dir: string, folder: string, files: QueueFiles): Promise<readonly string[]> {
  const entries = (await files.listFolder(dir, folder)) ?? [];
  return entries.flatMap(({ name, kind, hasTextName }) =>
    kind === 'file' && hasTextName && !name.startsWith('.') ? [name] : [],
  );
}

/** A missing or read-only folder is an outcome that a person has to fix. */
async function orRefused<Value>(
  work: () => Promise<Value>,
): Promise<Value | { readonly kind: 'refused'; readonly why: string }> {
  try {
    return await work();
  } catch (error) {
    const code = errnoCode(error);
    if (!WHY.has(code)) throw error; // anything else is a defect
    return { kind: 'refused', why: `${WHY.get(code)} (${code})` };
  }
}

const WHY = new Map([
  ['ENOENT', 'the folder is not there'],
  ['ENOTDIR', 'it is no folder'],
  ['EACCES', 'it may not be changed by us'],
  ['EPERM', 'it may not be changed by us'],
  ['EROFS', 'it can only be read'],
  ['ENOSPC', 'there is no room on the disk'],
]);
