/**
 * Plans what a project needs before agents and gates can run offline: dependencies, fetched once for each state of
 * its lockfiles. This file only decides; a sandbox with access to the registries does the work.
 */
import type { Json } from '../../base/json.ts';
import { canonicalJson } from '../../base/json.ts';
import { contentKey } from '../../host/git/git-object.ts';
import type { FileTree } from '../tree-entries.ts';

/**
 * Lockfiles, manifests and settings of installers. Each decides what is installed, or which code runs during the
 * installation.
 */
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
  /** The user's project. No other project ever gets its result. */
  readonly project: string;
  readonly command: readonly string[];
  /** Files, or folders with everything in them, besides those that always count. */
  readonly inputs: readonly string[];
  /** Files that the command starts: its scripts, and what they start in turn. */
  readonly leadsTo: readonly string[];
  /** The user's state before any agent, so that an agent's lockfile decides nothing. */
  readonly base: FileTree;
  /** The folder in the tree where the command runs. */
  readonly inside: string;
  /** User settings that change the result: allowed hosts, granted folders. */
  readonly settings: Json;
  /** Other facts that the result depends on, such as the architecture and the version of Node. */
  readonly machine: Readonly<Record<string, string>>;
};

export type SetupPlan = {
  /** Identifies the result. It is equal only for the same project, command, inputs, settings and machine. */
  readonly key: string;
  /** The files that the result depends on. */
  readonly inputs: readonly string[];
  /** Declared inputs that do not exist. */
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
