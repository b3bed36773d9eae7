/**
 * Reads settings from their files each time they are needed. A run pins the values that it needs.
 */
import { isRefusal } from '../base/errors.ts';
import { refuseUnparsable } from '../config/refuse-unparsable.ts';
import { findSecrets } from '../execution/environments/agent-secrets.ts';
import type { LoadedSettings } from '../config/load-settings.ts';
import { loadSettings } from '../config/load-settings.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import type { OwnerOptions } from './owner-options.ts';
import { userDir } from './execution-host.ts';
import type { TrustOptions } from '../trust/trusted-project.ts';
import { readTrustState, TrustedProject } from '../trust/trusted-project.ts';
import { refuseTooWide } from '../workspace/project.ts';
import { findNamedAgent } from '../attempts/choice/run-agents.ts';
import type { AgentSpec } from '../protocol/pinned-settings.ts';

/** Secrets are not pinned into a run. This reads them from the current configuration, else from `variables`. */
export async function projectSecrets(
  options: OwnerOptions,
  agent: AgentSpec,
  variables: OwnerOptions['env'] = options.env,
): Promise<Readonly<Record<string, string>>> {
  if ((agent.secrets ?? []).length === 0) return {};
  // A project must not set variables of an agent, so only the user's configuration counts.
  const { settings } = await settingsFor(options, undefined, []);
  return findSecrets(agent, findNamedAgent(settings, agent.id)?.env, variables);
}

/** The fields of a request that change its settings; see `RunRequest`. */
export type SettingsRequest = {
  readonly set?: readonly string[] | undefined;
  readonly untrusted?: boolean | undefined;
};

export type ProjectSettings = LoadedSettings & {
  /** The project's own files, as they were when the settings were read. */
  readonly project: TrustedProject;
};

/**
 * Reads the current settings of a project. Refuses a folder that cannot be a project, and files of
 * the project that the user has not trusted. `untrusted`: uses only the user's own settings.
 */
export async function projectSettings(
  options: OwnerOptions,
  path: string,
  { set = [], untrusted = false }: SettingsRequest,
): Promise<ProjectSettings> {
  const home = options.home.dir;
  await refuseTooWide(path, { home, userHome: userDir(options) });
  const project = await openProject({ home, project: path, untrusted });
  return { ...(await settingsFor(options, project, set)), project };
}

/** A file that can't be read is reported as such, also if the user has not trusted it. */
async function openProject(options: TrustOptions): Promise<TrustedProject> {
  try {
    return await TrustedProject.open(options);
  } catch (error) {
    if (!isRefusal(error, 'project.untrusted')) throw error;
    const state = await readTrustState(options);
    if (state.kind !== 'none') refuseUnparsable(state.project, state.folder);
    throw error;
  }
}

/** Reads the current settings, without a project for those of the owner itself. */
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
