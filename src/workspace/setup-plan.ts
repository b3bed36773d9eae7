/**
 * What a project needs before anybody can work or check offline: dependencies, fetched once for each
 * state of its lockfiles. Only the deciding is here; a sandbox with a way to the registries does it.
 */
import { join } from 'node:path';
import { canonicalJson } from '../base/json.ts';
import { contentKey } from '../host/git-object.ts';
import type { Tree } from './tree.ts';

/** A lockfile, and where what it describes is put, beside it. */
const LOCKFILES: Readonly<Record<string, string>> = {
  'package-lock.json': 'node_modules',
  'npm-shrinkwrap.json': 'node_modules',
  'pnpm-lock.yaml': 'node_modules',
  'yarn.lock': 'node_modules',
  'bun.lock': 'node_modules',
  'bun.lockb': 'node_modules',
  'requirements.txt': '.venv',
  'poetry.lock': '.venv',
  'uv.lock': '.venv',
  'Pipfile.lock': '.venv',
  'Cargo.lock': 'vendor',
  'go.sum': 'vendor',
  'Gemfile.lock': 'vendor/bundle',
  'composer.lock': 'vendor',
};

/** Besides the lockfiles, what decides how they are installed. */
const RULES = new Set(['.npmrc', '.yarnrc.yml', '.nvmrc', '.python-version', 'pyproject.toml']);
/** Lockfiles below this depth belong to examples and fixtures. */
const DEPTH_MAX = 3;

export type SetupRequest = {
  /** The commands of the user's configuration, each an argv. */
  readonly commands: readonly (readonly string[])[];
  /** What the user had, from before any agent: an agent's lockfile decides nothing. */
  readonly base: Tree;
  /** What else the result depends on, such as the machine's architecture and the version of Node. */
  readonly machine: Readonly<Record<string, string>>;
  /** Where results lie; each has a folder of its own. */
  readonly cacheDir: string;
  /** `read-only` shows the one result to everybody; `copied` gives each workspace its own. */
  readonly give?: 'read-only' | 'copied';
  /** What the commands make, if it is not what the lockfiles say. */
  readonly results?: readonly string[];
};

export type SetupPlan = {
  readonly key: string;
  readonly lockfiles: readonly string[];
  readonly commands: readonly (readonly string[])[];
  /** Where the result lies. It is whole once `done` exists there. */
  readonly dir: string;
  readonly done: string;
  /** What each workspace is given: `from` in the result, `to` in the workspace. */
  readonly gives: readonly {
    readonly from: string;
    readonly to: string;
    readonly how: 'read-only' | 'copied';
  }[];
};

/** Undefined when there is nothing to do: no command, or nothing that says what to fetch. */
export function planSetup(request: SetupRequest): SetupPlan | undefined {
  const { commands, base, machine, cacheDir, give = 'read-only' } = request;
  const paths = [...base.keys()].filter((path) => path.split('/').length <= DEPTH_MAX).toSorted();
  const lockfiles = paths.filter((path) => LOCKFILES[nameOf(path)] !== undefined);
  if (commands.length === 0 || (lockfiles.length === 0 && request.results === undefined)) {
    return undefined;
  }
  const deciding = paths.filter((path) => lockfiles.includes(path) || RULES.has(nameOf(path)));
  const content = deciding.map((path) => [path, base.get(path)?.id ?? ''] as const);
  const key = contentKey(canonicalJson({ commands, content, machine }));
  const dir = join(cacheDir, key);
  const made = request.results ?? lockfiles.map(besideLockfile);
  const gives = [...new Set(made)].map((path) => ({
    from: join(dir, 'tree', path),
    to: path,
    how: give,
  }));
  return { key, lockfiles, commands, dir, done: join(dir, 'done.json'), gives };
}

function besideLockfile(path: string): string {
  return path.slice(0, -nameOf(path).length) + (LOCKFILES[nameOf(path)] ?? '');
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
