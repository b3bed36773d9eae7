/**
 * What a project needs before anybody can work or check offline: dependencies, fetched once for each
 * state of its lockfiles. Only the deciding is here; a sandbox with a way to the registries does it.
 */
import { canonicalJson } from '../base/json.ts';
import { contentKey } from '../host/git-object.ts';
import type { Tree } from './tree.ts';

/** What decides by itself which dependencies there are. */
const LOCKFILES = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'requirements.txt',
  'poetry.lock',
  'uv.lock',
  'Pipfile.lock',
  'Cargo.lock',
  'go.sum',
  'Gemfile.lock',
  'composer.lock',
]);

/** Besides the lockfiles, what decides how they are installed. */
const RULES = new Set(['.npmrc', '.yarnrc.yml', '.nvmrc', '.python-version', 'pyproject.toml']);
/** Lockfiles below this depth belong to examples and fixtures. */
const DEPTH_MAX = 3;

export type SetupRequest = {
  readonly command: readonly string[];
  /** Files, or folders with all that is in them; none: the lockfiles that are there. */
  readonly inputs: readonly string[];
  /** What the user had, from before any agent: an agent's lockfile decides nothing. */
  readonly base: Tree;
  /** Where in the tree the command runs. */
  readonly inside: string;
  /** What else the result depends on, such as the machine's architecture and the version of Node. */
  readonly machine: Readonly<Record<string, string>>;
};

export type SetupPlan = {
  /** Names the result: the same for the same command, inputs and machine only. */
  readonly key: string;
  /** The files that it depends on. */
  readonly inputs: readonly string[];
  /** What was declared and is not there. */
  readonly missing: readonly string[];
};

export function planSetup(request: SetupRequest): SetupPlan {
  const { command, base, inside, machine } = request;
  const declared = request.inputs.map((path) => path.replace(/\/+$/, ''));
  const isInput = (path: string): boolean =>
    declared.length === 0
      ? decidesByItself(path)
      : declared.some((input) => path === input || path.startsWith(`${input}/`));
  const inputs = [...base.keys()].filter(isInput).toSorted();
  const content = inputs.map((path) => [
    path,
    base.get(path)?.id ?? '',
    base.get(path)?.mode ?? '',
  ]);
  return {
    key: contentKey(canonicalJson({ command, declared, content, inside, machine })),
    inputs,
    missing: declared.filter(
      (input) => !inputs.some((path) => path === input || path.startsWith(`${input}/`)),
    ),
  };
}

function decidesByItself(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return path.split('/').length <= DEPTH_MAX && (LOCKFILES.has(name) || RULES.has(name));
}
