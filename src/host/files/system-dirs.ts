import { existsSync, lstatSync, readlinkSync } from 'node:fs';

/** A system folder below /: a real folder, or a symlink to another one. */
export type SystemDir =
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'folder'; readonly path: string };

const ROOT_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

export function readSystemDirs(): readonly SystemDir[] {
  return ROOT_FOLDERS.flatMap((path): SystemDir[] => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    return found.isSymbolicLink()
      ? [{ kind: 'link', path, target: readlinkSync(path) }]
      : [{ kind: 'folder', path }];
  });
}

/** The paths that exist. */
export function existing(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => existsSync(path));
}
