/**
 * Stores the results of setups for later runs. A result is a folder that gets its name only when it is complete. No
 * agent ever sees it: each tree gets a copy, and a copy whose content differs from the original result is refused.
 */
import { join } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import type { TreeBounds, TreeSum } from '../../host/files/tree/copy-tree.ts';
import { copyTree, sumTree } from '../../host/files/tree/copy-tree.ts';
import { errnoCode } from '../../host/files/errno.ts';
import { ensurePrivateDir, writeFileAtomic } from '../../host/files/atomic-files.ts';
import { readSmallFile } from '../../host/files/read-text-file.ts';
import { listTreeFolder } from '../../host/files/tree/read-tree.ts';
import { makeFolder, moveEntryAside, removeTree } from '../../host/files/tree/write-tree.ts';
import { objectionToPath } from '../path-rules.ts';
import type { FileTree } from '../tree-entries.ts';

export type StoredSetup = {
  readonly version: 1;
  readonly key: string;
  /** What was made, sorted by path. */
  readonly made: readonly ({ readonly path: string } & TreeSum)[];
  readonly atMs: number;
};

/** Beyond these bounds, a setup has made something other than dependencies. */
const SETUP_BOUNDS: TreeBounds = { entriesMax: 1_000_000, bytesMax: 20_000_000_000 };
const MADE_MAX = 1000;
const RECORD_BYTES_MAX = 1_000_000;
const PARTIAL = '.partial';

export function setupsDir(home: string): string {
  return join(home, 'setups');
}

/** The lock of the process that makes the result with this key. */
export function setupLock(home: string, key: string): string {
  return join(setupsDir(home), `${key}.lock`);
}

/** A folder for making a result. Requires the lock. What an earlier holder left there is removed. */
export async function openPartial(home: string, key: string): Promise<string> {
  const dir = join(setupsDir(home), `${key}${PARTIAL}`);
  await removeTree(dir);
  await ensurePrivateDir(dir);
  return dir;
}

export async function dropPartial(home: string, key: string): Promise<void> {
  await removeTree(join(setupsDir(home), `${key}${PARTIAL}`));
}

/** Removes partial results of a dead owner. Call it only while nothing of this home runs. */
export async function sweepPartials(home: string): Promise<void> {
  for (const { name } of (await listTreeFolder(home, 'setups').catch(() => undefined)) ?? [])
    if (name.endsWith(PARTIAL)) await removeTree(join(setupsDir(home), name));
}

/**
 * The topmost paths that exist now and were not in the base. Files of the base are not part of the result, even if
 * they changed.
 */
export async function findMade(tree: string, base: FileTree): Promise<readonly string[]> {
  const folders = new Set(['']);
  for (const path of base.keys())
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      folders.add(path.slice(0, end));
  const made: string[] = [];
  for (const folder of folders) {
    for (const { name, kind, hasTextName } of (await listTreeFolder(tree, folder)) ?? []) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (!hasTextName || kind === 'special' || objectionToPath(path) !== undefined) continue;
      if (!base.has(path) && !folders.has(path)) made.push(path);
    }
  }
  if (made.length > MADE_MAX) throw tooMuch(`${made.length} files and folders`);
  return made.toSorted();
}

/** Stores what a setup has made in a tree. Afterwards the result exists durably and completely, or not at all. */
export async function storeSetup(
  home: string,
  key: string,
  {
    tree,
    paths,
    atMs,
  }: { readonly tree: string; readonly paths: readonly string[]; readonly atMs: number },
): Promise<StoredSetup> {
  const name = `${key}${PARTIAL}`;
  const result = join(setupsDir(home), name, 'result');
  await ensurePrivateDir(result);
  const made: StoredSetup['made'][number][] = [];
  for (const [index, path] of paths.entries()) {
    const sum = await copyTree(join(tree, path), join(result, String(index)), SETUP_BOUNDS);
    if (sum === undefined) throw tooMuch(path);
    made.push({ path, ...sum });
  }
  const stored: StoredSetup = { version: 1, key, made, atMs };
  await writeFileAtomic(join(result, 'done.json'), `${JSON.stringify(stored)}\n`);
  await dropSetup(home, key);
  await moveEntryAside(setupsDir(home), `${name}/result`, join(setupsDir(home), key));
  return stored;
}

export async function findSetup(home: string, key: string): Promise<StoredSetup | undefined> {
  const read = await readSmallFile(join(setupsDir(home), key, 'done.json'), RECORD_BYTES_MAX);
  const found = read.kind === 'text' ? parseJson(read.text) : undefined;
  return isRecord(found) && found['version'] === 1 && found['key'] === key
    ? (found as StoredSetup)
    : undefined;
}

/** Whether a stored result is unchanged. */
export async function isWhole(home: string, { key, made }: StoredSetup): Promise<boolean> {
  for (const [index, { digest }] of made.entries()) {
    const sum = await sumTree(join(setupsDir(home), key, String(index)), SETUP_BOUNDS).catch(
      noneIfGone,
    );
    if (sum?.digest !== digest) return false;
  }
  return true;
}

/** How long an unused result is kept. */
const UNUSED_MS_MAX = 30 * 24 * 3_600_000;

/** Records that a result was used, and removes results that were not used for long. */
export async function markUsed(home: string, key: string, nowMs: number): Promise<void> {
  await writeFileAtomic(join(setupsDir(home), key, 'used.json'), JSON.stringify({ atMs: nowMs }));
  for (const { name, kind } of (await listTreeFolder(home, 'setups')) ?? []) {
    if (kind !== 'folder' || name.endsWith(PARTIAL) || name === key) continue;
    const read = await readSmallFile(join(setupsDir(home), name, 'used.json'), RECORD_BYTES_MAX);
    const used = read.kind === 'text' ? parseJson(read.text) : undefined;
    const atMs = isRecord(used) ? Number(used['atMs']) : ((await findSetup(home, name))?.atMs ?? 0);
    if (nowMs - atMs > UNUSED_MS_MAX) await dropSetup(home, name);
  }
}

async function dropSetup(home: string, key: string): Promise<void> {
  await removeTree(join(setupsDir(home), key));
}

/**
 * Copies a result into a tree, in place of whatever is at those paths. No agent may be running in the tree. A path
 * that a symlink or a file blocks stays as it is and is reported.
 */
export async function placeSetup(
  home: string,
  key: string,
  tree: string,
): Promise<{ readonly placed: readonly string[]; readonly blocked: readonly string[] }> {
  const stored = await findSetup(home, key);
  if (stored === undefined) throw unavailable(key);
  const [placed, blocked]: [string[], string[]] = [[], []];
  for (const [index, { path, digest }] of stored.made.entries()) {
    if (!(await makeFolder(tree, path.slice(0, Math.max(path.lastIndexOf('/'), 0))))) {
      blocked.push(path);
      continue;
    }
    await removeTree(join(tree, path));
    const from = join(setupsDir(home), key, String(index));
    const sum = await copyTree(from, join(tree, path), SETUP_BOUNDS).catch(noneIfGone);
    if (sum?.digest !== digest) throw unavailable(key);
    placed.push(path);
  }
  return { placed, blocked };
}

function noneIfGone(error: unknown): undefined {
  if (errnoCode(error) === 'ENOENT') return undefined;
  throw error; // a full disk does not mean that the result is damaged
}

function unavailable(key: string): Refusal {
  return new Refusal({
    code: 'setup.unavailable',
    message: `The result of the setup (${key}) is missing or damaged.`,
    hint: 'Submit the task again: a new run repeats the setup.',
  });
}

function tooMuch(what: string): Refusal {
  return new Refusal({
    code: 'setup.unavailable',
    message: `The setup has made more than can be stored: ${what}.`,
    hint: 'Change it so that it makes only what agents and gates need offline.',
  });
}
