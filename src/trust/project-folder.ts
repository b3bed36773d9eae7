/** A project's `.supervisor` folder, read once: the hashed bytes are the bytes that are used. */
import { join } from 'node:path';
import { errnoWords } from '../host/files/errno.ts';
import { Refusal } from '../base/errors.ts';
import { hashText } from '../base/hash-text.ts';
import type { FolderEntry } from '../host/files/read-folder.ts';
import { readFolder } from '../host/files/read-folder.ts';

export const PROJECT_FOLDER = '.supervisor';
/** The folder of the user's home with the files of installed packs. */
export const COMMUNITY_FOLDER = 'community';

/** What agents and their watchers write while they work. No setting comes from there. */
const RECORDS = ['organization/reports', 'organization/steering'];
const BOUNDS = { entriesMax: 2000, bytesMax: 16_000_000, depthMax: 20, leftOut: RECORDS };

/** What the user trusts: each entry with a hash of its content. */
export type TrustedEntry = {
  readonly path: string;
  readonly kind: FolderEntry['kind'];
  readonly mode: number;
  /** The hash of the content of a file or of the target of a link; empty for other entries. */
  readonly digest: string;
};

export type ProjectFolder = {
  readonly entries: readonly FolderEntry[];
  /** The hash of every path, kind, mode as git stores it, content and link target. */
  readonly hash: string;
};

/** Undefined if the folder is absent or empty. Refuses a folder that cannot be read or is too large. */
export async function readProjectFolder(project: string): Promise<ProjectFolder | undefined> {
  const folder = join(project, PROJECT_FOLDER);
  const read = await reading(folder);
  if (read.kind === 'absent') return undefined;
  if (read.kind === 'too-large')
    throw new Refusal({
      code: 'config.unreadable',
      message: `${folder} is too large: the limit is reached at ${JSON.stringify(read.path)}.`,
      hint: `Keep at most ${BOUNDS.entriesMax} files and ${BOUNDS.bytesMax / 1_000_000} MB there.`,
      details: { file: folder },
    });
  return read.entries.length === 0 ? undefined : hashFolder(read.entries);
}

export function hashFolder(entries: readonly FolderEntry[]): ProjectFolder {
  const inOrder = entries.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const lines = inOrder.map(toTrustedEntry).map(({ path, kind, mode, digest }) =>
    // JSON escapes odd names, so that no path can look like two lines.
    JSON.stringify([path, kind, mode, digest]),
  );
  return { entries: inOrder, hash: hashText(lines.join('\n')) };
}

export function toTrustedEntry(entry: FolderEntry): TrustedEntry {
  const { path, kind } = entry;
  switch (entry.kind) {
    case 'file':
      return { path, kind, mode: fileMode(entry.mode), digest: hashText(entry.bytes) };
    case 'link':
      return { path, kind, mode: 0, digest: hashText(entry.target) };
    case 'folder':
      return { path, kind, mode: FOLDER_MODE, digest: '' };
    case 'other':
      return { path, kind, mode: entry.mode, digest: '' };
  }
}

const FOLDER_MODE = 0o755;
const SPECIAL = 0o7000;

/**
 * The mode as git stores it: whether the file can be executed. The rest depends on the umask of the checkout, and the
 * same commit must have the same hash on a laptop and in CI.
 */
function fileMode(mode: number): number {
  return ((mode & 0o111) === 0 ? 0o644 : 0o755) | (mode & SPECIAL);
}

async function reading(folder: string): ReturnType<typeof readFolder> {
  try {
    return await readFolder(folder, BOUNDS);
  } catch (error) {
    // Any error here means that the user must fix the folder, so it is a refusal and not a defect.
    const message = `${folder}: the folder cannot be read: ${errnoWords(error)}`;
    const hint = 'Make the folder readable, or move it away.';
    throw new Refusal(
      { code: 'config.unreadable', message, hint, details: { file: folder } },
      { cause: error },
    );
  }
}
