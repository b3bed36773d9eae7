/** Loads settings from files that are given as texts. */
import type { ConfigFlags, LoadedSettings, LoadOptions } from '../../src/config/load-settings.ts';
import { loadSettings } from '../../src/config/load-settings.ts';
import { TrustedProject } from '../../src/trust/trusted-project.ts';

export const USER = '/home/ann/.supervisor/config.yaml';
export const PROJECT = 'shop/.supervisor/config.yaml';

export type Given = {
  readonly user?: string;
  readonly project?: string;
  readonly flags?: ConfigFlags;
};

export function loadFiles(
  { user, project, flags = {} }: Given,
  more: Partial<LoadOptions> = {},
): Promise<LoadedSettings> {
  const files = new Map([[USER, user]]);
  return loadSettings({
    home: '/home/ann/.supervisor',
    project: TrustedProject.fromTexts(
      'shop',
      project === undefined ? {} : { 'config.yaml': project },
    ),
    userDir: '/home/ann',
    flags,
    readFile: (path) => Promise.resolve(files.get(path)),
    ...more,
  });
}

export function set(...set: string[]): ConfigFlags {
  return { set };
}
