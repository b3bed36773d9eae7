/** The checks and dependencies of a Node.js project: npm, pnpm, yarn and bun, with and without workspaces. */
import { tableAt } from '../toml/read-toml.ts';
import type { FolderListing } from './listing.ts';
import type { CheckKind, DetectedCheck, MissingDependencies, ProjectPart } from './project-part.ts';

type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** If there are several lockfiles, a manager that is chosen on purpose comes before npm. */
const LOCKFILES: readonly (readonly [file: string, manager: Manager])[] = [
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

const SCRIPTS: Readonly<Record<CheckKind, readonly string[]>> = {
  test: ['test', 'tests', 'test:unit', 'unit'],
  lint: ['lint', 'lint:check', 'eslint'],
  typecheck: ['typecheck', 'type-check', 'check-types', 'check:types', 'types', 'tsc'],
};
const KINDS = ['test', 'lint', 'typecheck'] as const;
/** What `npm init` writes. */
const NO_TESTS = /no test specified/;
const TEST_FILE = /(?:\.|^)(?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)tests?\/[^/]+\.[cm]?js$/;

export function detectNode(files: FolderListing): ProjectPart | undefined {
  const manifest = files.json('package.json');
  if (manifest === undefined) return undefined;
  const { manager, lockfile } = findManager(files, manifest);
  const members = findMembers(files, manifest);
  const node: NodeProject = { files, manifest, members, manager, lockfile };
  return {
    language: 'node',
    manager,
    checks: KINDS.flatMap((kind) => findCheck(kind, node) ?? []),
    dependencies: findDependencies(node),
  };
}

type Manifest = Readonly<Record<string, unknown>>;

type NodeProject = {
  readonly files: FolderListing;
  readonly manifest: Manifest;
  /** The manifests of its workspaces. */
  readonly members: readonly Manifest[];
  readonly manager: Manager;
  readonly lockfile: string | undefined;
};

/** The field `packageManager` decides, then the lockfile. Without both it is npm. */
function findManager(
  files: FolderListing,
  { packageManager }: Manifest,
): { readonly manager: Manager; readonly lockfile: string | undefined } {
  const lockfiles = LOCKFILES.filter(([file]) => files.has(file));
  const [named] = typeof packageManager === 'string' ? packageManager.split('@', 1) : [];
  const chosen =
    LOCKFILES.find(([, manager]) => manager === named)?.[1] ?? lockfiles[0]?.[1] ?? 'npm';
  return { manager: chosen, lockfile: lockfiles.find(([, manager]) => manager === chosen)?.[0] };
}

function findMembers(files: FolderListing, manifest: Manifest): readonly Manifest[] {
  if (manifest['workspaces'] === undefined && !files.has('pnpm-workspace.yaml')) return [];
  return files
    .matching(/\/package\.json$/)
    .filter((path) => !path.includes('node_modules/'))
    .map((path) => files.json(path))
    .filter((one) => one !== undefined);
}

function findCheck(kind: CheckKind, node: NodeProject): DetectedCheck | undefined {
  const { manager, manifest, members } = node;
  const script = SCRIPTS[kind].find((name) => hasScript(manifest, name));
  if (script !== undefined)
    return {
      kind,
      command: runScript(manager, script),
      why: `the script ${script} in package.json`,
    };
  const inMember = SCRIPTS[kind].find((name) => members.some((one) => hasScript(one, name)));
  if (inMember !== undefined)
    return {
      kind,
      command: runInWorkspaces(node, inMember),
      why: `the script ${inMember} in workspaces`,
    };
  return findTool(kind, node);
}

function hasScript(manifest: Manifest, name: string): boolean {
  const script = tableAt(manifest, 'scripts')[name];
  return typeof script === 'string' && script.trim() !== '' && !NO_TESTS.test(script);
}

function runScript(manager: Manager, script: string): readonly string[] {
  if (script === 'test' && manager !== 'bun') return [manager, 'test'];
  return [manager, 'run', script];
}

function runInWorkspaces({ manager, files }: NodeProject, script: string): readonly string[] {
  switch (manager) {
    case 'npm':
      return ['npm', 'run', script, '--workspaces', '--if-present'];
    case 'pnpm':
      return ['pnpm', '--recursive', '--if-present', 'run', script];
    case 'yarn':
      return isModernYarn(files)
        ? ['yarn', 'workspaces', 'foreach', '--all', 'run', script]
        : ['yarn', 'workspaces', 'run', script];
    case 'bun':
      return ['bun', 'run', '--filter', '*', script];
  }
}

/** A tool that is declared and configured, although no script starts it. */
function findTool(kind: CheckKind, node: NodeProject): DetectedCheck | undefined {
  const { files, manager } = node;
  const start = (tool: string, ...args: readonly string[]): readonly string[] => {
    if (manager === 'npm') return ['npx', tool, ...args];
    if (manager === 'bun') return ['bunx', tool, ...args];
    return [manager, 'exec', tool, ...args];
  };
  const declared = (name: string): boolean => allDependencies(node).includes(name);
  switch (kind) {
    case 'test': {
      const tests = files.matching(TEST_FILE).filter((path) => !path.includes('node_modules/'));
      const [example] = tests;
      if (example === undefined) return undefined;
      const why = `${example}, and no script test`;
      if (declared('vitest')) return { kind, command: start('vitest', 'run'), why };
      if (declared('jest')) return { kind, command: start('jest'), why };
      if (manager === 'bun') return { kind, command: ['bun', 'test'], why };
      return tests.some((path) => /\.[cm]?js$/.test(path))
        ? { kind, command: ['node', '--test'], why }
        : undefined;
    }
    case 'lint': {
      const [eslint] = files.matching(/^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?)$/);
      if (eslint !== undefined && declared('eslint'))
        return { kind, command: start('eslint', '.'), why: eslint };
      const biome = files.first('biome.json', 'biome.jsonc');
      return biome !== undefined && declared('@biomejs/biome')
        ? { kind, command: start('biome', 'check'), why: biome }
        : undefined;
    }
    case 'typecheck':
      return files.has('tsconfig.json') && declared('typescript')
        ? { kind, command: start('tsc', '--noEmit'), why: 'tsconfig.json' }
        : undefined;
  }
}

function allDependencies({ manifest, members }: NodeProject): readonly string[] {
  return [manifest, ...members].flatMap((one) =>
    ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((field) =>
      Object.keys(tableAt(one, field)),
    ),
  );
}

function findDependencies(node: NodeProject): MissingDependencies | null {
  const { files, lockfile, members } = node;
  if (allDependencies(node).length === 0 && members.length === 0) return null;
  // The user commits the dependencies, so every copy has them.
  if (files.contains('node_modules') || files.has('.pnp.cjs')) return null;
  return {
    folder: 'node_modules',
    isIgnored: files.ignored.has('node_modules'),
    install: installCommand(node),
    inputs: [lockfile ?? 'package.json'],
    advice: null,
  };
}

/** Installs exactly what the lockfile says. Without a lockfile, there is nothing to hold on to. */
function installCommand({ manager, lockfile, files }: NodeProject): readonly string[] {
  if (lockfile === undefined) return [manager, 'install'];
  switch (manager) {
    case 'npm':
      return ['npm', 'ci'];
    case 'pnpm':
    case 'bun':
      return [manager, 'install', '--frozen-lockfile'];
    case 'yarn':
      return ['yarn', 'install', isModernYarn(files) ? '--immutable' : '--frozen-lockfile'];
  }
}

/** Yarn 2 and later is configured in another file than yarn 1. */
function isModernYarn(files: FolderListing): boolean {
  const named = files.json('package.json')?.['packageManager'];
  const isNamed = typeof named === 'string' && /^yarn@(?:[2-9]|\d\d)/.test(named);
  return isNamed || files.has('.yarnrc.yml');
}
