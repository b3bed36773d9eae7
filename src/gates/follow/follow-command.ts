/** Follows a command through the files of a base that lies in a vault. */
import { readTexts } from '../../workspace/gate-tree.ts';
import type { FileTree } from '../../workspace/tree-entries.ts';
import type { ShadowRepo } from '../../workspace/shadow-repo.ts';
import type { Followed } from './followed.ts';
import type { FollowCommandOptions } from '../definition/gate-command.ts';
import { followCommand } from '../definition/gate-command.ts';

const ROUNDS_MAX = 30;

/** Follows a command through the base, and reads what it comes to until there is no more. */
export async function followCommandFiles(
  repo: ShadowRepo,
  base: FileTree,
  command: readonly string[],
  inside: string,
  { withSettings = true }: FollowCommandOptions = {},
): Promise<Followed> {
  const texts = new Map<string, string>();
  for (let round = 0; ; round += 1) {
    const followed = followCommand(command, inside, base, texts, { withSettings });
    if (followed.filesToRead.size === 0) return followed;
    if (round >= ROUNDS_MAX)
      return {
        ...followed,
        notFollowed: [...followed.notFollowed, 'it starts more files than can be followed'],
      };
    const files = [...followed.filesToRead].map((path) => base.get(path));
    const read = await readTexts(repo, files);
    // What can't be read as a text is followed no further.
    for (const path of followed.filesToRead)
      texts.set(path, read.get(base.get(path)?.id ?? '') ?? '');
  }
}
