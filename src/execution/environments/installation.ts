/** Finds an agent's program on this machine, and the files that a sandbox must mount so that it runs. */
import { basename, dirname, isAbsolute, join } from 'node:path';
import { realPathSync } from '../../host/files/real-path.ts';
import { which } from '../../host/process/which.ts';
import { programFiles } from './program-files.ts';

export type Installation = {
  /** A real path, so that it is the same file inside the sandbox. */
  readonly program: string;
  /** Whether it is in a system folder. An image has its own system folders. */
  readonly isOfSystem: boolean;
  /** Paths that the sandbox mounts read-only. */
  readonly read: readonly string[];
  /** The folder of its own Node, if it does not use the system's. */
  readonly path: readonly string[];
};

/** Every sandbox has these folders: those of the machine, or those of the image. */
const SHOWN = ['/usr/', '/bin/', '/sbin/', '/lib/', '/lib64/'];

/** Undefined: it is not installed. A program inside the project needs no mount. */
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

/** What a sandbox must mount for a command of the user: its program, npm and node, and the user's grants. */
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

/** The path of an agent's program, for an agent that works in this project. Undefined: it is not installed. */
export function findProgram(
  name: string,
  project: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (isInsideProject(name)) return which(join(project, name), env);
  return findInstallation(name, env)?.program;
}

/** A path such as `./agent.sh` is relative to the working folder and is not searched in PATH. */
export function isInsideProject(name: string): boolean {
  return name.includes('/') && !isAbsolute(name);
}

function isShown(path: string): boolean {
  return SHOWN.some((folder) => path.startsWith(folder));
}

function real(path: string | undefined): string | undefined {
  return path === undefined ? undefined : realPathSync(path);
}
