/** Settings loaded from files that are texts. */
import type { Flags, Loaded, LoadOptions } from '../config/load.ts';
import { loadSettings } from '../config/load.ts';

export const USER = '/home/ann/.supervisor/config.yaml';
export const PROJECT = 'shop/.supervisor/config.yaml';

export type Given = { readonly user?: string; readonly project?: string; readonly flags?: Flags };

export function loadFiles(
  { user, project, flags = {} }: Given,
  more: Partial<LoadOptions> = {},
): Promise<Loaded> {
  const files = new Map([
    [USER, user],
    [PROJECT, project],
  ]);
  return loadSettings({
    home: '/home/ann/.supervisor',
    project: 'shop',
    userDir: '/home/ann',
    flags,
    readFile: (path) => Promise.resolve(files.get(path)),
    ...more,
  });
}

export function set(...set: string[]): Flags {
  return { set };
}
