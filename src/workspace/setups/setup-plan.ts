/**
 * What a project needs before anybody can work or check offline: dependencies, fetched once for each
 * state of its lockfiles. Only the deciding is here; a sandbox with a way to the registries does it.
 */
import type { Json } from '../../base/json.ts';
import { canonicalJson } from '../../base/json.ts';
import { contentKey } from '../../host/git/git-object.ts';
import type { FileTree } from '../tree-entries.ts';

/** Lockfiles, manifests and settings of installers: each decides what is installed, or which code runs meanwhile. */
const DEFINING = new Set([
  // npm, pnpm, yarn, bun
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  '.pnpmfile.cjs',
  '.pnpmfile.mjs',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'bunfig.toml',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  'lerna.json',
  'binding.gyp',
  // pip, poetry, uv, pipenv, conda
  'setup.py',
  'setup.cfg',
  'pyproject.toml',
  'poetry.lock',
  'poetry.toml',
  'uv.lock',
  'uv.toml',
  'pip.conf',
  'Pipfile',
  'Pipfile.lock',
  'environment.yml',
  'environment.yaml',
  // cargo, go, bundler, composer
  'Cargo.toml',
  'Cargo.lock',
  'build.rs',
  'rust-toolchain',
  'rust-toolchain.toml',
  'go.mod',
  'go.sum',
  'go.work',
  'go.work.sum',
  'Gemfile',
  'Gemfile.lock',
  'composer.json',
  'composer.lock',
  // JVM, .NET and others
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'settings.gradle',
  'settings.gradle.kts',
  'gradle.properties',
  'build.sbt',
  'packages.lock.json',
  'Directory.Packages.props',
  'Directory.Build.props',
  'nuget.config',
  'global.json',
  'mix.exs',
  'mix.lock',
  'pubspec.yaml',
  'pubspec.lock',
  'Package.swift',
  'Package.resolved',
  'deno.json',
  'deno.lock',
  'flake.nix',
  'flake.lock',
  'devbox.json',
  'devbox.lock',
  // versions of tools
  '.nvmrc',
  '.node-version',
  '.python-version',
  '.ruby-version',
  '.tool-versions',
  'mise.toml',
  '.mise.toml',
]);
const DEFINING_PATTERNS = [
  /(?:^|\/)(?:requirements|constraints)[^/]*\.(?:txt|in)$/,
  /(?:^|\/)requirements\/[^/]+\.(?:txt|in)$/,
  /(?:^|\/)(?:\.cargo|\.yarn|\.bundle|\.mvn|gradle|patches)\//,
  /\.(?:gemspec|csproj|fsproj|vbproj|slnx?)$/,
];

export type SetupRequest = {
  /** The user's project: no other project ever gets its result. */
  readonly project: string;
  readonly command: readonly string[];
  /** Files, or folders with all that is in them, besides those that always count. */
  readonly inputs: readonly string[];
  /** Files that the command leads to: its scripts, and what they start in turn. */
  readonly leadsTo: readonly string[];
  /** What the user had, from before any agent: an agent's lockfile decides nothing. */
  readonly base: FileTree;
  /** Where in the tree the command runs. */
  readonly inside: string;
  /** What the user set that changes what it makes: hosts it may reach, folders it is shown. */
  readonly settings: Json;
  /** What else the result depends on, such as the machine's architecture and the version of Node. */
  readonly machine: Readonly<Record<string, string>>;
};

export type SetupPlan = {
  /** Names the result: the same for the same project, command, inputs, settings and machine only. */
  readonly key: string;
  /** The files that it depends on. */
  readonly inputs: readonly string[];
  /** What was declared and is not there. */
  readonly missing: readonly string[];
};

export function planSetup(request: SetupRequest): SetupPlan {
  const { project, command, base, inside, settings, machine } = request;
  const declared = request.inputs.map((path) => path.replace(/\/+$/, ''));
  const isDeclared = (path: string): boolean =>
    declared.some((input) => path === input || path.startsWith(`${input}/`));
  const leadsTo = new Set(request.leadsTo);
  const inputs = [...base.keys()]
    .filter((path) => isDeclared(path) || alwaysDefines(path) || leadsTo.has(path))
    .toSorted();
  const content = inputs.map((path) => [
    path,
    base.get(path)?.id ?? '',
    base.get(path)?.mode ?? '',
  ]);
  return {
    key: contentKey(
      canonicalJson({ project, command, declared, content, inside, settings, machine }),
    ),
    inputs,
    missing: declared.filter(
      (input) => !inputs.some((path) => path === input || path.startsWith(`${input}/`)),
    ),
  };
}

function alwaysDefines(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return DEFINING.has(name) || DEFINING_PATTERNS.some((pattern) => pattern.test(path));
}
