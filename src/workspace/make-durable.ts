/** Packs of the shadow repository: git writes a pack durably, so an object is durable when a pack has it. */
import { join } from 'node:path';
import { isRefusal } from '../base/errors.ts';
import { KeyedSerial } from '../base/serial.ts';
import { listTreeFolder } from '../host/files/tree/read-tree.ts';
import type { ShadowRepo } from './shadow-repo.ts';
import { gitInRepo } from './shadow-repo.ts';

/** Makes all objects of a commit that an earlier commit lacks durable, before a ref points to it. */
export async function makeDurable(
  repo: ShadowRepo,
  commit: string,
  earlier?: string,
): Promise<void> {
  const name = join(repo.objectsDir, 'pack', 'pack');
  const stdin = `${commit}\n${earlier === undefined ? '' : `^${earlier}\n`}`;
  await gitInRepo(repo, ['pack-objects', '--quiet', '--revs', '--window=0', name], { stdin });
  await gitInRepo(repo, ['prune-packed', '--quiet']);
  if ((await listPacks(repo)).length > PACKS_MAX)
    await combinations.run(repo.gitDir, () => combinePacks(repo));
}

/** More packs than this are combined, because git searches all of them. */
const PACKS_MAX = 40;

/**
 * A repack removes the packs that it has combined. Git then fails in any other repack that has listed the same packs.
 * So runs of a project that end together take turns, and the later ones find the packs combined.
 */
const combinations = new KeyedSerial();

async function combinePacks(repo: ShadowRepo): Promise<void> {
  const before = await listPacks(repo);
  if (before.length <= PACKS_MAX) return;
  try {
    await gitInRepo(repo, ['repack', '--quiet', '-a', '-d', '--keep-unreachable']);
  } catch (error) {
    // Another process, such as `supervisor apply` beside the owner, may have combined the same packs meanwhile.
    const after = new Set(await listPacks(repo));
    if (!isRefusal(error, 'workspace.git-failed') || before.every((name) => after.has(name)))
      throw error;
  }
}

/** By their indexes, which git removes before the packs. */
async function listPacks(repo: ShadowRepo): Promise<readonly string[]> {
  const entries = (await listTreeFolder(repo.objectsDir, 'pack')) ?? [];
  return entries.map(({ name }) => name).filter((name) => name.endsWith('.idx'));
}
