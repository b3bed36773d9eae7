/** The user's own settings, for what no project may set. */
import { readTextFile } from '../../host/files/read-text-file.ts';
import { userHomeFolder } from '../../host/machine/account-home.ts';
import type { Settings } from '../../settings/settings.ts';
import type { CliContext } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';

/** Refuses a file that is not valid. The schemas of settings take time to load, and most commands need none. */
export async function ownSettings(context: CliContext): Promise<Settings> {
  const { loadSettings } = await import('../../config/load-settings.ts');
  const home = stateHome(context).dir;
  const ports = { home, userDir: userHomeFolder(), readFile: readTextFile };
  return (await loadSettings(ports)).settings;
}
