/** The agents that a run here can name: those of the user, and those of a project that the user trusts. */
import { loadSettings } from '../../config/load-settings.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import { userHomeFolder } from '../../host/machine/account-home.ts';
import type { AgentSettings } from '../../settings/agent-config.ts';
import { readTrustState, TrustedProject } from '../../trust/trusted-project.ts';
import type { CliContext } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';

/** Refuses settings that are not valid. */
export async function declaredAgents(
  context: CliContext,
  project: string,
): Promise<readonly AgentSettings[]> {
  const home = stateHome(context).dir;
  const ports = { home, userDir: userHomeFolder(), readFile: readTextFile };
  const { kind } = await readTrustState({ home, project });
  const trusted =
    kind === 'trusted' ? { project: await TrustedProject.open({ home, project }) } : {};
  return (await loadSettings({ ...ports, ...trusted })).settings.agents;
}
