/** A project's `.supervisor` folder as it was read at one moment: what is hashed is what is used. */
import { join } from 'node:path';
import { describeError, Refusal } from '../base/errors.ts';
import { hashText } from '../base/hash-text.ts';
import type { FolderEntry } from '../host/files/read-folder.ts';
import { readFolder } from '../host/files/read-folder.ts';

export const PROJECT_FOLDER = '.supervisor';

const BOUNDS = { entriesMax: 2000, bytesMax: 16_000_000, depthMax: 20 };

/** What trust is given to: each entry without its content, and a hash of the content. */
export type TrustedEntry = {
  readonly path: string;
  readonly kind: FolderEntry['kind'];
  readonly mode: number;
  /** Of the content of a file, or of the target of a link; empty for the rest. */
  readonly digest: string;
};

export type ProjectFolder = {
  readonly entries: readonly FolderEntry[];
  /** Of every path, kind, mode, content and link target. */
  readonly hash: string;
};

/** Undefined where there is none, or nothing in it. Refuses what can't be read and what is far too large. */
export async function readProjectFolder(project: string): Promise<ProjectFolder | undefined> {
  const folder = join(project, PROJECT_FOLDER);
  const read = await reading(folder);
  if (read.kind === 'absent') return undefined;
  if (read.kind === 'too-large')
    throw new Refusal({
      code: 'config.unreadable',
      message: `${folder} is too large to be looked through: it ends at ${JSON.stringify(read.path)}.`,
      hint: `Keep at most ${BOUNDS.entriesMax} files and ${BOUNDS.bytesMax / 1_000_000} MB there.`,
      details: { file: folder },
    });
  return read.entries.length === 0 ? undefined : projectFolderOf(read.entries);
}

export function projectFolderOf(entries: readonly FolderEntry[]): ProjectFolder {
  const inOrder = entries.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const lines = inOrder.map(toTrustedEntries).map(({ path, kind, mode, digest }) =>
    // JSON keeps odd names apart: no path can pretend to be two lines.
    JSON.stringify([path, kind, mode, digest]),
  );
  return { entries: inOrder, hash: hashText(lines.join('\n')) };
}

export function toTrustedEntries(entry: FolderEntry): TrustedEntry {
  const { path, kind } = entry;
  switch (entry.kind) {
    case 'file':
      return { path, kind, mode: entry.mode, digest: hashText(entry.bytes) };
    case 'link':
      return { path, kind, mode: 0, digest: hashText(entry.target) };
    case 'folder':
    case 'other':
      return { path, kind, mode: entry.mode, digest: '' };
  }
}

async function reading(folder: string): ReturnType<typeof readFolder> {
  try {
    return await readFolder(folder, BOUNDS);
  } catch (error) {
    // a folder that is there and can't be read is the user's to mend, whatever the machine calls it
    const message = `${folder}: it can not be read: ${describeError(error)}`;
    const hint = 'Make it a folder that you may read, or move it away.';
    throw new Refusal(
      { code: 'config.unreadable', message, hint, details: { file: folder } },
      { cause: error },
    );
  }
}
