import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';

/** Whether we may use a folder that somebody has named, and if not, why. Changes nothing. */
export async function checkFolder(
  path: string,
  use: 'writing' | 'reading',
): Promise<'fine' | 'absent' | 'no-folder' | 'closed' | 'not-ours'> {
  const found = await stat(path).catch(() => undefined); // whatever the reason: we can't get there
  if (found === undefined) return 'absent';
  if (!found.isDirectory()) return 'no-folder';
  const uid = process.geteuid?.();
  // Root may use what belongs to anybody.
  if (use === 'writing' && uid !== undefined && uid !== 0 && found.uid !== uid) return 'not-ours';
  const mode = constants.X_OK | (use === 'writing' ? constants.W_OK : constants.R_OK);
  return access(path, mode).then(
    () => 'fine',
    () => 'closed',
  );
}
