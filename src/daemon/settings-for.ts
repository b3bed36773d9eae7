/** Settings are read from files when they are needed, never kept: what a run needs of them is pinned into it. */
import type { AgentSpec } from '../agents/adapter.ts';
import { findSecrets } from '../attempts/secrets.ts';
import type { Loaded } from '../config/load.ts';
import { loadSettings } from '../config/load.ts';
import { readTextFile } from '../host/read-text-file.ts';
import type { OwnerOptions } from './owner-options.ts';
import { userDirOf } from './places.ts';
import { refuseTooWide } from '../workspace/project.ts';
import { agentNamed } from '../attempts/run-agents.ts';

/** The values that were not pinned into the run, from the configuration as it is now. */
export async function secretsOf(
  options: OwnerOptions,
  agent: AgentSpec,
  project: string,
): Promise<Readonly<Record<string, string>>> {
  if ((agent.secrets ?? []).length === 0) return {};
  const { settings } = await settingsFor(options, project, []);
  return findSecrets(agent, agentNamed(settings, agent.id)?.env, options.env);
}

/** What holds for a project, or for the owner itself, as it is written down at this moment. */
export async function settingsFor(
  options: OwnerOptions,
  project: string | undefined,
  set: readonly string[],
): Promise<Loaded> {
  const userHome = userDirOf(options);
  if (project !== undefined) await refuseTooWide(project, { home: options.home.dir, userHome });
  return loadSettings({
    home: options.home.dir,
    ...(project === undefined ? {} : { project }),
    flags: { set },
    userDir: userHome,
    readFile: readTextFile,
  });
}
