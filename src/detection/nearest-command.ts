/** Names what a command was probably meant to be, if what it should run is not there. */
import { isRecord } from '../base/json.ts';
import { nearest } from '../yaml/nearest.ts';
import { targetsOf } from './detect-tasks.ts';
import type { ProjectListing } from './listing.ts';
import { FolderListing } from './listing.ts';

/** What a command looked for and did not find. */
export type MissingThing = {
  readonly kind: 'script' | 'target' | 'module' | 'package' | 'file' | 'subcommand';
  readonly name: string;
};

/** Modules of Python that a gate usually starts. */
const MODULES = [
  ...['pytest', 'unittest', 'doctest', 'mypy', 'ruff', 'tox', 'nox', 'flake8', 'pylint', 'black'],
  ...['isort', 'pyright', 'coverage', 'py_compile', 'compileall', 'build', 'bandit', 'behave'],
];
/** Packages of Node that a gate usually starts. */
const PACKAGES = [
  ...['jest', 'vitest', 'mocha', 'ava', 'tap', 'eslint', 'oxlint', 'prettier', 'biome', 'tsc'],
  ...['tsx', 'ts-node', 'playwright', 'cypress', 'knip', 'turbo', 'nx', 'c8', 'nyc'],
];
const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  cargo: ['test', 'check', 'clippy', 'build', 'fmt', 'run', 'bench', 'nextest'],
  go: ['test', 'vet', 'build', 'fmt', 'run', 'generate', 'mod'],
};
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile', 'justfile', 'Justfile', '.justfile'];
/** Scripts that npm and its relatives start without `run`. */
const BARE_SCRIPTS = ['test', 'start', 'stop', 'restart'];
const SHOWN_MAX = 8;

/** A whole command, or undefined if nothing in the project has a close name. */
export function nearestCommand(
  command: readonly string[],
  missing: MissingThing,
  listing: ProjectListing,
): string | undefined {
  const known = candidates(command, missing, new FolderListing(listing, ''));
  const meant = nearest(missing.name, known);
  if (meant === undefined) return undefined;
  if (missing.kind === 'script') return scriptCommand(command, meant);
  // A missing thing that the command does not name is named in a file that the command reads.
  if (!command.includes(missing.name)) return undefined;
  // The same name is missing for another reason: it is not installed here.
  if (meant === missing.name) return undefined;
  return command.map((word) => (word === missing.name ? meant : word)).join(' ');
}

/** What the project does have, for a person who must choose. Empty if nothing is known. */
export function listChoices(
  command: readonly string[],
  missing: MissingThing,
  listing: ProjectListing,
): readonly string[] {
  if (missing.kind !== 'script' && missing.kind !== 'target') return [];
  const known = candidates(command, missing, new FolderListing(listing, ''));
  return known
    .slice(0, SHOWN_MAX)
    .map((name) =>
      missing.kind === 'script' ? scriptCommand(command, name) : `${command[0] ?? ''} ${name}`,
    );
}

function candidates(
  command: readonly string[],
  { kind, name }: MissingThing,
  files: FolderListing,
): readonly string[] {
  switch (kind) {
    case 'script':
      return keysOf(files.json('package.json')?.['scripts']);
    case 'target':
      return MAKEFILES.flatMap((file) => [...targetsOf(files.text(file))]);
    case 'module':
      return MODULES;
    case 'package':
      return [...keysOf(files.json('package.json')?.['devDependencies']), ...PACKAGES];
    case 'file':
      return sameFolder(name, files);
    case 'subcommand':
      return SUBCOMMANDS[command[0] ?? ''] ?? [];
  }
}

/** Most misspelt files are in the folder that the command names. */
function sameFolder(name: string, files: FolderListing): readonly string[] {
  const folder = name.slice(0, name.lastIndexOf('/') + 1);
  const prefix = folder.replace(/^\.\//, '');
  return [...files.paths].flatMap((path) =>
    path.startsWith(prefix) && !path.slice(prefix.length).includes('/')
      ? [`${folder}${path.slice(prefix.length)}`]
      : [],
  );
}

function scriptCommand([program = 'npm']: readonly string[], script: string): string {
  const manager = /^(?:npm|pnpm|yarn|bun)$/.test(program) ? program : 'npm';
  const isBare = BARE_SCRIPTS.includes(script) && manager !== 'bun';
  return isBare ? `${manager} ${script}` : `${manager} run ${script}`;
}

function keysOf(value: unknown): readonly string[] {
  return isRecord(value) ? Object.keys(value) : [];
}
