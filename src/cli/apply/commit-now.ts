/** Commits the files of a run that were just applied, and records the commit. */
import type { Client } from '../../client/client.ts';
import type { CliContext } from '../cli-context.ts';
import { paint } from '../cli-context.ts';
import type { MadeCommit } from './commit-applied.ts';
import { commitFiles, recordCommit } from './commit-applied.ts';

/** Undefined: the last commit already has these files as they are. `firstLine`: that of the task, if absent. */
export async function commitNow(
  context: CliContext,
  client: Client,
  id: string,
  root: string,
  firstLine?: string,
): Promise<MadeCommit | undefined> {
  const { files, message } = await client.applyDetails(id, firstLine);
  const paths = files.map(({ path }) => path);
  const made = await commitFiles(context, root, { run: id, paths, message });
  if (made !== undefined) await recordCommit(client, id, made);
  return made;
}

export function describeCommit(
  context: CliContext,
  id: string,
  made: MadeCommit | undefined,
): string {
  if (made === undefined)
    return `Nothing to commit: the last commit already has the work of run ${id}.\n`;
  const where = made.branch === null ? '' : ` on ${made.branch}`;
  return `${paint(context, 'green', 'committed')} ${made.made.slice(0, 12)}${where}\n`;
}
