/** What was laid into a workspace before any agent came: it is not part of anybody's work. */
import { join } from 'node:path';
import { isRecord, parseJson } from '../../base/json.ts';
import { writeFileAtomic } from '../../host/files/atomic-files.ts';
import { writeOwnedFile } from '../../host/files/tree/chown-tree.ts';
import { readSmallFile } from '../../host/files/small-file.ts';
import type { WorkspaceId } from '../workspace.ts';
import { workspacePaths } from '../workspace.ts';

const BYTES_MAX = 1_000_000;

/** Whether that has been done: a tree in which an agent may have been is laid nothing into. */
export async function isPrepared(place: WorkspaceId): Promise<boolean> {
  const read = await readSmallFile(preparedFile(place), BYTES_MAX);
  return read.kind === 'text' && isRecord(parseJson(read.text));
}

/** From here on these paths are left out of what is compared and kept, and the agent's own git leaves them out as well. */
export async function markPrepared(place: WorkspaceId, laid: readonly string[]): Promise<void> {
  const { excludes, work } = workspacePaths(place);
  const read = await readSmallFile(excludes, BYTES_MAX);
  const before = read.kind === 'text' ? read.text : '';
  const lines = laid.map(ruleFor).filter((rule) => !before.split('\n').includes(rule));
  if (lines.length > 0) {
    const rules = `${before}${lines.join('\n')}\n`;
    await writeFileAtomic(excludes, rules);
    await writeOwnedFile(work, '.git/info/exclude', rules);
  }
  await writeFileAtomic(preparedFile(place), `${JSON.stringify({ laid })}\n`);
}

function preparedFile(place: WorkspaceId): string {
  return join(workspacePaths(place).record, '..', 'prepared.json');
}

/** An ignore rule for this one path. */
export function ruleFor(path: string): string {
  return `/${path.replaceAll(/[\\*?[\]!#]|\s(?=$)/g, String.raw`\$&`)}`;
}
