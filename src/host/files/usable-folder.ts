import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export type FolderState = {
  /** With `absent`, the other fields describe the nearest existing parent. */
  readonly kind: 'there' | 'absent' | 'not-a-folder';
  readonly nearest: string;
  readonly isWritable: boolean;
  /** Whether other users may look into it. */
  readonly isShared: boolean;
};

/** What can be done with a folder that exists, or would have to be created. Changes nothing. */
export async function inspectFolder(path: string): Promise<FolderState> {
  for (let nearest = path; ; nearest = dirname(nearest)) {
    const found = await stat(nearest).catch(() => undefined); // for any reason: check its parent
    if (found === undefined && nearest !== dirname(nearest)) continue;
    return {
      kind: found?.isDirectory() !== true ? 'not-a-folder' : nearest === path ? 'there' : 'absent',
      nearest,
      isWritable: await canWrite(nearest),
      isShared: ((found?.mode ?? 0) & 0o077) !== 0,
    };
  }
}

function canWrite(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Whether we may use a folder that the user named, and if not, why. Changes nothing. */
export async function checkFolder(
  path: string,
  use: 'writing' | 'reading',
): Promise<'fine' | 'absent' | 'no-folder' | 'closed' | 'not-ours'> {
  const found = await stat(path).catch(() => undefined); // for any reason: we cannot reach it
  if (found === undefined) return 'absent';
  if (!found.isDirectory()) return 'no-folder';
  const uid = process.geteuid?.();
  // Root may use every folder.
  if (use === 'writing' && uid !== undefined && uid !== 0 && found.uid !== uid) return 'not-ours';
  const mode = constants.X_OK | (use === 'writing' ? constants.W_OK : constants.R_OK);
  return access(path, mode).then(
    () => 'fine',
    () => 'closed',
  );
}
