/** Where an agent's program lies on this machine, and what a sandbox must show for it to run there. */
import { basename, dirname, isAbsolute, join } from 'node:path';
import { realPathSync } from '../../host/files/real-path.ts';
import { which } from '../../host/process/which.ts';
import { programFiles } from './program-files.ts';

export type Installation = {
  /** With no link left in it, so that it is the same file inside. */
  readonly program: string;
  /** Part of the system itself, of which an image has its own. */
  readonly isOfSystem: boolean;
  /** To be shown, not to be changed. */
  readonly read: readonly string[];
  /** Where its own Node is found, if that is not the system's. */
  readonly path: readonly string[];
};

/** Shown already: the machine's own, or in an image that image's. */
const SHOWN = ['/usr/', '/bin/', '/sbin/', '/lib/', '/lib64/'];

/** Undefined: it is not installed. A program of the project's own is where the work is, inside as outside. */
export function findInstallation(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): Installation | undefined {
  const node = real(which('node', env));
  const nodes = node !== undefined && basename(node) === 'node' && !isShown(node) ? [node] : [];
  const path = nodes.map((file) => dirname(file));
  if (isInsideProject(name)) return { program: name, isOfSystem: false, read: nodes, path };
  const program = real(which(name, env));
  if (program === undefined) return undefined;
  const isOwn = !isShown(program) || program.startsWith('/usr/local/');
  const own = isOwn ? programFiles(program, env) : { read: [], path: [] };
  return {
    program,
    isOfSystem: isShown(program),
    read: [...new Set([...own.read, ...nodes])].filter((file) => !isShown(file)),
    path: [...new Set([...path, ...own.path])],
  };
}

type FileAccess = Pick<Installation, 'read' | 'path'>;

/** What a sandbox must show for a command of the user: its program, npm and node, and what the user grants. */
export function commandAccess(
  command: readonly string[],
  granted: FileAccess,
  env: Readonly<Record<string, string | undefined>>,
): FileAccess {
  const programs = [command[0] ?? '', 'npm', 'node'].flatMap(
    (name) => findInstallation(name, env) ?? [],
  );
  return {
    read: [...new Set([...granted.read, ...programs.flatMap(({ read }) => read)])],
    path: [...new Set([...granted.path, ...programs.flatMap(({ path }) => path)])],
  };
}

/** Where the program of an agent lies that works in this project, or undefined. */
export function findProgram(
  name: string,
  project: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (isInsideProject(name)) return which(join(project, name), env);
  return findInstallation(name, env)?.program;
}

/** `./agent.sh` is a path from the folder in which the work is done, and is never looked for. */
export function isInsideProject(name: string): boolean {
  return name.includes('/') && !isAbsolute(name);
}

function isShown(path: string): boolean {
  return SHOWN.some((folder) => path.startsWith(folder));
}

function real(path: string | undefined): string | undefined {
  return path === undefined ? undefined : realPathSync(path);
}
