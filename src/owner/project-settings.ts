/** Settings are read from files when they are needed, never kept: what a run needs of them is pinned into it. */
import type { AgentSpec } from '../adapters/adapter.ts';
import { findSecrets } from '../execution/environments/agent-secrets.ts';
import type { LoadedSettings } from '../config/load-settings.ts';
import { loadSettings } from '../config/load-settings.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import type { OwnerOptions } from './owner-options.ts';
import { userDir } from './execution-host.ts';
import { TrustedProject } from '../trust/trusted-project.ts';
import { refuseTooWide } from '../workspace/project.ts';
import { findNamedAgent } from '../attempts/run-agents.ts';

/** The values that were not pinned into the run, from the configuration as it is now. */
export async function projectSecrets(
  options: OwnerOptions,
  agent: AgentSpec,
): Promise<Readonly<Record<string, string>>> {
  if ((agent.secrets ?? []).length === 0) return {};
  // No project may give variables to an agent, so there is nothing of it to look at.
  const { settings } = await settingsFor(options, undefined, []);
  return findSecrets(agent, findNamedAgent(settings, agent.id)?.env, options.env);
}

/** What a request says of the settings; see `RunRequest`. */
export type SettingsRequest = {
  readonly set?: readonly string[] | undefined;
  readonly untrusted?: boolean | undefined;
};

export type ProjectSettings = LoadedSettings & {
  /** The project's own files as they were when the settings were read. */
  readonly project: TrustedProject;
};

/**
 * What holds for a project as it is written down at this moment. Refuses a folder that is no project, and
 * files of the project that the user has not trusted. `untrusted`: the user's own settings alone.
 */
export async function projectSettings(
  options: OwnerOptions,
  path: string,
  { set = [], untrusted = false }: SettingsRequest,
): Promise<ProjectSettings> {
  const home = options.home.dir;
  await refuseTooWide(path, { home, userHome: userDir(options) });
  const project = await TrustedProject.open({ home, project: path, untrusted });
  return { ...(await settingsFor(options, project, set)), project };
}

/** The same for the owner itself, where no project is given. */
export async function settingsFor(
  options: OwnerOptions,
  project: TrustedProject | undefined,
  set: readonly string[],
): Promise<LoadedSettings> {
  return loadSettings({
    home: options.home.dir,
    ...(project === undefined ? {} : { project }),
    flags: { set },
    userDir: userDir(options),
    readFile: readTextFile,
  });
}
