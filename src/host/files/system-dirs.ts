import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';

/** A folder below / that belongs to the system: of its own, or a link into another. */
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

/** Those of the paths that are there. */
export function existing(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => existsSync(path));
}

/** Where a path leads when all links are followed; undefined when nothing is there. */
export function realPathSync(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // nothing there, or a loop of links
  }
}
