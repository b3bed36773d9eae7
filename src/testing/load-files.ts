/** Settings loaded from files that are texts. */
import type { Flags, Loaded, LoadOptions } from '../config/load.ts';
import { loadSettings } from '../config/load.ts';
import { TrustedProject } from '../trust/trusted-project.ts';

export const USER = '/home/ann/.supervisor/config.yaml';
export const PROJECT = 'shop/.supervisor/config.yaml';

export type Given = { readonly user?: string; readonly project?: string; readonly flags?: Flags };

export function loadFiles(
  { user, project, flags = {} }: Given,
  more: Partial<LoadOptions> = {},
): Promise<Loaded> {
  const files = new Map([[USER, user]]);
  return loadSettings({
    home: '/home/ann/.supervisor',
    project: TrustedProject.ofTexts(
      'shop',
      project === undefined ? {} : { 'config.yaml': project },
    ),
    userDir: '/home/ann',
    flags,
    readFile: (path) => Promise.resolve(files.get(path)),
    ...more,
  });
}

export function set(...set: string[]): Flags {
  return { set };
}
