import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';

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
