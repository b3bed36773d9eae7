import { dirname, join } from 'node:path/posix';
import type { PythonImport } from './python.ts';

/**
 * The files of the project that an import reads: the module, and those of its names that are
 * modules themselves. `roots` are the folders from which whole names are looked for.
 */
export function resolvePython(
  { level, module, names }: PythonImport,
  from: string,
  roots: readonly string[],
  has: (path: string) => boolean,
): readonly string[] {
  const starts =
    level === 0 ? roots : [join(dirname(from), ...Array.from({ length: level - 1 }, () => '..'))];
  for (const start of starts) {
    if (start.startsWith('..')) continue;
    const base = join(start, ...module);
    const parts = names.map((name) => moduleFile(join(base, name), has));
    const found = [moduleFile(base, has), ...parts].filter((one) => one !== undefined);
    if (found.length > 0) return found;
  }
  return [];
}

function moduleFile(path: string, has: (path: string) => boolean): string | undefined {
  const inside = path === '.' ? '' : `${path}/`;
  const candidates = [`${path}.py`, `${path}.pyi`, `${inside}__init__.py`, `${inside}__init__.pyi`];
  return candidates.find(has);
}

/** Where whole names may begin for this file: above its outermost package, and at each usual place. */
export function pythonRoots(
  from: string,
  projects: readonly string[],
  has: (path: string) => boolean,
): readonly string[] {
  let top = dirname(from);
  while (top !== '.' && has(`${top}/__init__.py`)) top = dirname(top);
  const usual = projects.flatMap((folder) =>
    ['.', 'src', 'lib', 'python'].map((one) => join(folder, one)),
  );
  return [...new Set([top, dirname(from), ...usual])];
}
