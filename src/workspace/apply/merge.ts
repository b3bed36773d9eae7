import { join } from 'node:path';
import { writeFileAtomic } from '../../host/files/atomic-files.ts';
import { blobId, writeBlob } from '../../host/git/git-object.ts';
import { scratchDir } from '../../host/files/scratch-dir.ts';
import type { CurrentState } from './plan-apply.ts';
import { mergedMode, pathsToMerge } from './plan-apply.ts';
import type { FileChange, TreeFileEntry } from '../tree-entries.ts';
import type { ShadowRepo } from '../shadow-repo.ts';
import { gitInRepo, readBlob } from '../shadow-repo.ts';

/** More conflicts than this, or files that are no text, and git says 255 instead of a number. */
const CONFLICTS_MAX = 127;

/** Merges, line by line, what both sides changed; all contents are in the vault. Undefined is a conflict. */
export async function mergeAll(
  vault: ShadowRepo,
  changes: readonly FileChange[],
  now: ReadonlyMap<string, CurrentState>,
): Promise<ReadonlyMap<string, TreeFileEntry | undefined>> {
  const merges = new Map<string, TreeFileEntry | undefined>();
  for (const { path, before, after } of pathsToMerge(changes, now)) {
    const here = now.get(path);
    if (before === undefined || after === undefined) continue;
    if (here === undefined || typeof here === 'string') continue;
    const content = await mergeOne(vault, before, after, here);
    if (content === undefined) {
      merges.set(path, undefined);
      continue;
    }
    await writeBlob(vault.objectsDir, content);
    const mode = mergedMode(before, after, here);
    merges.set(path, { mode, id: blobId(content), bytes: content.length });
  }
  return merges;
}

async function mergeOne(
  vault: ShadowRepo,
  before: TreeFileEntry,
  after: TreeFileEntry,
  here: TreeFileEntry,
): Promise<Buffer | undefined> {
  await using scratch = await scratchDir(vault.scratchDir);
  const paths: string[] = [];
  for (const [name, file] of Object.entries({ here, before, after })) {
    const path = join(scratch.path, name);
    await writeFileAtomic(path, await readBlob(vault, file));
    paths.push(path);
  }
  const { code, stdout } = await gitInRepo(vault, ['merge-file', '--stdout', '--quiet', ...paths], {
    okCodes: [...Array(CONFLICTS_MAX).keys(), CONFLICTS_MAX, 255],
  });
  return code === 0 ? stdout : undefined;
}
