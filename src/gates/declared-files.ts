/** The files that a gate declares to write: a report of its tests, or its coverage. */
import { join, posix } from 'node:path';
import { fileStamp } from '../host/files/file-stamp.ts';
import { readSmallFile } from '../host/files/read-text-file.ts';
import { readPath } from '../host/files/tree/read-tree.ts';
import { removeInside } from '../host/files/tree/write-tree.ts';
import type { PinnedGate } from '../protocol/pinned-settings.ts';

/** The tree of a gate. */
export type GateFolder = {
  /** The whole tree. */
  readonly root: string;
  /** The user's folder inside it. */
  readonly inside: string;
};

type WrittenFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing'; readonly why: string };

export type ReadWritten = (path: string) => Promise<WrittenFile>;

/** In a gate's `report`: TAP on its standard output. */
export const STDOUT = 'stdout';
export const REPORT_BYTES_MAX = 20_000_000;

export function declaredFiles({
  report,
  coverage,
}: Pick<PinnedGate, 'report' | 'coverage'>): readonly string[] {
  return [
    ...(report === undefined || report === STDOUT ? [] : [report]),
    ...(coverage === undefined ? [] : [coverage.file]),
  ];
}

/**
 * Call it before the gate starts. A file that is there already is deleted in a copy of the work, since the work could
 * have brought it. The project itself is not changed: there, the file has to be another one after the gate.
 */
export async function expectFiles(
  gate: Pick<PinnedGate, 'report' | 'coverage'>,
  { root, inside }: GateFolder,
  isCopy: boolean,
): Promise<ReadWritten> {
  const stamps = new Map<string, string | undefined>();
  for (const path of declaredFiles(gate)) {
    const whole = posix.join(inside, path);
    if (isCopy) await removeInside(root, whole);
    else stamps.set(path, fileStamp(join(root, whole)));
  }
  return async (path) => {
    const whole = posix.join(inside, path);
    if (!isCopy) {
      if (fileStamp(join(root, whole)) === stamps.get(path)) return missing(`it wrote no ${path}`);
      const found = await readSmallFile(join(root, whole), REPORT_BYTES_MAX);
      return found.kind === 'text' ? found : missing(`its ${path} can't be read`);
    }
    // No link is followed: it could lead to a file that the work has brought.
    const found = await readPath(root, whole, REPORT_BYTES_MAX);
    switch (found.kind) {
      case 'file':
        return { kind: 'text', text: found.content.toString('utf8') };
      case 'absent':
        return missing(`it wrote no ${path}`);
      case 'too-large':
        return missing(`its ${path} is larger than ${REPORT_BYTES_MAX / 1_000_000} MB`);
      case 'folder':
      case 'special':
      case 'symlink':
      case 'unreadable':
        return missing(`its ${path} is no plain file in a plain folder`);
    }
  };
}

function missing(why: string): WrittenFile {
  return { kind: 'missing', why };
}
