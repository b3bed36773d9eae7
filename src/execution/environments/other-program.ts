/**
 * Finds a language of which a sandbox has another version than the shell of the user, such as the Python of pyenv.
 * Nothing fails then, but gates judge with other rules than the user does.
 */
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { isWithin } from '../../base/secret-paths.ts';
import { lineOfShell } from '../../base/shell-words.ts';
import { realPathSync } from '../../host/files/real-path.ts';
import { readSmallFile } from '../../host/files/read-text-file.ts';
import { which } from '../../host/process/which.ts';
import { PATH_INSIDE } from '../../sandbox/policy.ts';
import { commandAccess } from './installation.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type OtherProgram = {
  /** As the command names it. */
  readonly name: string;
  /** The program that the shell of the user starts. */
  readonly own: string;
  /** Undefined: the sandbox has none. */
  readonly inside: string | undefined;
  /** The folders to grant, if they are known. */
  readonly toolchains: readonly string[];
  /** A virtual environment inside the project has its own path there. A setup makes it, because copies have no ignored files. */
  readonly inProject: string | undefined;
};

/** Programs with a version that people choose for each project. Node is shown to every sandbox as it is. */
const LANGUAGES = /^(?:python(?:\d(?:\.\d+)?)?|ruby|php|perl|java|go|cargo|deno|bun)$/;

/** Managers that put a small script before the program: the folder of versions, and where the version is named. */
const MANAGERS = [
  { names: /^python/, variable: 'PYENV_VERSION', file: '.python-version' },
  { names: /^ruby$/, variable: 'RBENV_VERSION', file: '.ruby-version' },
] as const;

type Seen = {
  readonly project: string;
  /** Folders with programs that the user grants. */
  readonly granted: readonly string[];
  /** The variables of the user's shell. */
  readonly env: Env;
};

/** Undefined: the sandbox has the same program, or the user has none. */
export async function findOtherProgram(
  command: readonly string[],
  { project, granted, env }: Seen,
): Promise<OtherProgram | undefined> {
  const line = lineOfShell(command);
  const words = line === undefined ? command.slice(0, 1) : line.split(/[\s'"`;&|()<>=]+/);
  const { path } = commandAccess(command, { read: [], path: granted }, env);
  for (const name of new Set(words.filter((word) => LANGUAGES.test(word)))) {
    const own = which(name, env);
    const real = own === undefined ? undefined : realPathSync(own);
    const inside = which(name, { PATH: [...path, PATH_INSIDE].join(':') });
    if (own === undefined || real === undefined) continue;
    const environment = virtualEnvironment(own);
    if (isOfSystem(real) && environment === undefined) continue;
    if (inside !== undefined && path.includes(dirname(inside))) continue;
    const found = { name, own, inside };
    if (environment !== undefined && isWithin(environment, project))
      return { ...found, toolchains: [], inProject: relative(project, own) };
    const toolchain = await toolchainOf(name, { own, real, project, env });
    // The programs of a virtual environment are links to those that it was made with.
    const base = isOfSystem(real) || toolchain === undefined ? [] : [toolchain];
    const toolchains = environment === undefined ? base : [environment, ...base];
    return { ...found, toolchains, inProject: undefined };
  }
  return undefined;
}

const VERSION_BYTES_MAX = 1000;

/** One sentence for a person, and what to add. */
export function describeOtherProgram({ name, own, inside, toolchains, inProject }: OtherProgram): {
  readonly words: string;
  readonly hint: string;
} {
  const other = inside === undefined ? `has no ${name}` : `runs ${inside}`;
  const folders = toolchains.length === 0 ? 'FOLDER' : toolchains.join(', ');
  return {
    words: `your shell runs ${own}, and the sandbox ${other}`,
    hint:
      inProject === undefined
        ? `To use yours, add this line to your own config.yaml: sandbox: {grants: {toolchains: [${folders}]}}`
        : `To use yours, write ${inProject} instead of ${name}, and let setup make the environment`,
  };
}

/** The folder of the virtual environment of Python that a program belongs to. */
function virtualEnvironment(program: string): string | undefined {
  const folder = dirname(dirname(program));
  return realPathSync(join(folder, 'pyvenv.cfg')) === undefined ? undefined : folder;
}

function isOfSystem(path: string): boolean {
  return ['/usr/', '/bin/', '/sbin/'].some((folder) => path.startsWith(folder));
}

type Place = {
  readonly own: string;
  readonly real: string;
  readonly project: string;
  readonly env: Env;
};

async function toolchainOf(
  name: string,
  { own, real, project, env }: Place,
): Promise<string | undefined> {
  const manager = MANAGERS.find(({ names }) => names.test(name));
  if (basename(dirname(own)) === 'shims') {
    const root = dirname(dirname(own));
    const version =
      manager &&
      (env[manager.variable] ??
        (await firstLine(join(project, manager.file))) ??
        (await firstLine(join(root, 'version'))));
    const folder = join(root, 'versions', version ?? '');
    const isThere = realPathSync(join(folder, 'bin', name)) !== undefined;
    return version !== undefined && isThere ? folder : undefined;
  }
  const folder = dirname(real);
  const chosen = basename(folder) === 'bin' ? dirname(folder) : folder;
  return chosen === '/' || chosen === env['HOME'] || !isAbsolute(chosen) ? undefined : chosen;
}

async function firstLine(path: string): Promise<string | undefined> {
  const file = await readSmallFile(path, VERSION_BYTES_MAX);
  const line = file.kind === 'text' ? (file.text.split('\n')[0] ?? '').trim() : '';
  return line === '' ? undefined : line;
}
