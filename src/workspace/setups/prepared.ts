/** Records what was placed into a workspace before any agent started. It is not part of the agent's work. */
import { join } from 'node:path';
import { isRecord, parseJson } from '../../base/json.ts';
import { writeFileAtomic } from '../../host/files/atomic-files.ts';
import { writeOwnedFile } from '../../host/files/tree/chown-tree.ts';
import { readSmallFile } from '../../host/files/read-text-file.ts';
import type { WorkspaceId } from '../workspace.ts';
import { workspacePaths } from '../workspace.ts';

const BYTES_MAX = 1_000_000;

/** Whether that has been done. Nothing is placed into a tree in which an agent may have worked. */
export async function isPrepared(workspace: WorkspaceId): Promise<boolean> {
  const read = await readSmallFile(preparedFile(workspace), BYTES_MAX);
  return read.kind === 'text' && isRecord(parseJson(read.text));
}

/** From now on these paths are excluded from comparisons and commits, and the agent's own git ignores them too. */
export async function markPrepared(
  workspace: WorkspaceId,
  placed: readonly string[],
): Promise<void> {
  const { excludes, work } = workspacePaths(workspace);
  const read = await readSmallFile(excludes, BYTES_MAX);
  const before = read.kind === 'text' ? read.text : '';
  const lines = placed.map(ruleFor).filter((rule) => !before.split('\n').includes(rule));
  if (lines.length > 0) {
    const rules = `${before}${lines.join('\n')}\n`;
    await writeFileAtomic(excludes, rules);
    await writeOwnedFile(work, '.git/info/exclude', rules);
  }
  await writeFileAtomic(preparedFile(workspace), `${JSON.stringify({ laid: placed })}\n`);
}

function preparedFile(workspace: WorkspaceId): string {
  return join(workspacePaths(workspace).record, '..', 'prepared.json');
}

/** An ignore rule for exactly this path. */
export function ruleFor(path: string): string {
  return `/${path.replaceAll(/[\\*?[\]!#]|\s(?=$)/g, String.raw`\$&`)}`;
}
