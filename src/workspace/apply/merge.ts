import { join } from 'node:path';
import { writeFileAtomic } from '../../host/files/atomic-files.ts';
import { blobId, writeBlob } from '../../host/git/git-object.ts';
import { scratchDir } from '../../host/files/scratch-folder.ts';
import type { CurrentState } from './plan-apply.ts';
import { mergedMode, pathsToMerge } from './plan-apply.ts';
import type { FileChange, TreeFileEntry } from '../tree-entries.ts';
import type { ShadowRepo } from '../shadow-repo.ts';
import { gitInRepo, readBlob } from '../shadow-repo.ts';

/** With more conflicts than this, or for binary files, git exits with 255 instead of the number of conflicts. */
const CONFLICTS_MAX = 127;

/**
 * Merges, line by line, the files that both sides changed. All contents are in the shadow repository. Undefined means
 * a conflict.
 */
export async function mergeAll(
  repo: ShadowRepo,
  changes: readonly FileChange[],
  current: ReadonlyMap<string, CurrentState>,
): Promise<ReadonlyMap<string, TreeFileEntry | undefined>> {
  const merges = new Map<string, TreeFileEntry | undefined>();
  for (const { path, before, after } of pathsToMerge(changes, current)) {
    const entry = current.get(path);
    if (before === undefined || after === undefined) continue;
    if (entry === undefined || typeof entry === 'string') continue;
    const content = await mergeOne(repo, before, after, entry);
    if (content === undefined) {
      merges.set(path, undefined);
      continue;
    }
    await writeBlob(repo.objectsDir, content);
    const mode = mergedMode(before, after, entry);
    merges.set(path, { mode, id: blobId(content), bytes: content.length });
  }
  return merges;
}

async function mergeOne(
  repo: ShadowRepo,
  before: TreeFileEntry,
  after: TreeFileEntry,
  current: TreeFileEntry,
): Promise<Buffer | undefined> {
  await using scratch = await scratchDir(repo.scratchDir);
  const paths: string[] = [];
  for (const [name, file] of Object.entries({ here: current, before, after })) {
    const path = join(scratch.path, name);
    await writeFileAtomic(path, await readBlob(repo, file));
    paths.push(path);
  }
  const { code, stdout } = await gitInRepo(repo, ['merge-file', '--stdout', '--quiet', ...paths], {
    okCodes: [...Array(CONFLICTS_MAX).keys(), CONFLICTS_MAX, 255],
  });
  return code === 0 ? stdout : undefined;
}
