/**
 * What judges comes from the base. A command names a program, and what that program does often stands in
 * files of the project: scripts, manifests, settings of a runner, tests. This finds them among what the
 * work changed, so that a gate can run with them as they were before the work.
 */
import { posix } from 'node:path';
import { isTestFile, isTestHelper } from '../../workspace/apply/test-files.ts';
import type { FileTree } from '../../workspace/tree-entries.ts';
import { INSTALLED, isBuildResult, isCheckSetting, isQuietSetting } from './check-settings.ts';
import type { Followed } from '../follow/followed.ts';
import { decidedFiles, isManifest, isPackageFile } from './manifest-parts.ts';
import { CHECKING_MODULES, STANDARD_MODULES } from './python-modules.ts';

export type GateDefinition = {
  /** Paths that are taken from the base as they were there, or left out if it had none. */
  readonly whole: readonly string[];
  /** Paths of which only a part decides: `mendedText` says what to put there. */
  readonly parts: readonly string[];
  /** Tests of the base that the work changed or deleted: taken from the base, and named on their own. */
  readonly tests: readonly string[];
  /** Taken from the base or left out as well, but not worth a word: caches, ignore rules, new tests. */
  readonly quiet: readonly string[];
};

const NAMES_MAX = 20;

/** What to call those files in a record: what is installed is one thing, however many files it has. */
export function shortPathList(paths: readonly string[]): readonly string[] {
  const names = new Set(
    paths.map((path) => {
      const at = INSTALLED.exec(path);
      return at === null ? path : path.slice(0, at.index + at[0].length);
    }),
  );
  return [...names].toSorted().slice(0, NAMES_MAX);
}

/** What of the changed files decides how a command judges that was followed through the base. */
export function findGateDefinition(
  followed: Followed,
  before: FileTree,
  after: FileTree,
  { testsMayChange = false }: { readonly testsMayChange?: boolean } = {},
): GateDefinition {
  const found = { whole: [], parts: [], tests: [], quiet: [] } as Record<
    keyof GateDefinition,
    string[]
  >;
  const areas = testAreas(before);
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [entryBefore, entryAfter] = [before.get(path), after.get(path)];
    if (entryBefore?.id === entryAfter?.id && entryBefore?.mode === entryAfter?.mode) continue;
    const kind = classifyPath(path, entryBefore !== undefined, followed, before, after);
    if (kind === 'test') {
      if (testsMayChange) continue;
      if (entryBefore !== undefined) found.tests.push(path);
      else if (isTestHelper(path) && !couldReplaceHelper(path, before)) continue;
      else if (isReplaceable(path, followed, before, areas)) found.quiet.push(path);
    } else if (kind !== 'work') {
      found[kind].push(path);
    }
  }
  return {
    whole: found.whole.toSorted(),
    parts: found.parts.toSorted(),
    tests: found.tests.toSorted(),
    quiet: found.quiet.toSorted(),
  };
}

/** Whether a test of the base that names a helper without its ending could load this one in its place. */
function couldReplaceHelper(path: string, before: FileTree): boolean {
  const stem = path.replace(/\.\w+$/, '').replace(/\/(?:index|__init__)$/, '');
  for (const one of before.keys())
    if (one.startsWith(`${stem}.`) || one.startsWith(`${stem}/`)) return true;
  return false;
}

/** Settings that are no programs and count for their own folder only: in a new folder they are the work. */
const LOCAL_SETTINGS =
  /(?:^|\/)(?:[jt]sconfig[\w.-]*\.json|project\.json|\.editorconfig|\.eslintrc\.json)$/;

type Kind = 'whole' | 'parts' | 'quiet' | 'test' | 'work';

function classifyPath(
  path: string,
  isOld: boolean,
  followed: Followed,
  before: FileTree,
  after: FileTree,
): Kind {
  if (followed.strict.has(path)) return 'whole';
  if (followed.strictPatterns.some((pattern) => pattern.test(path))) return 'whole';
  if (isManifest(path)) {
    if (isOld || followed.packages.has(path)) return 'parts';
    // A new manifest around files of the base would change how those are checked, or what they load.
    return hasAffectedFiles(before, path) ? 'whole' : 'work';
  }
  // A new file that is named to the command is what the command was asked to check.
  if (isQuietSetting(path)) return 'quiet';
  if (isBuildResult(path, (one) => after.has(one))) return 'quiet';
  if (!isOld && LOCAL_SETTINGS.test(path) && !hasFilesBelow(before, posix.dirname(path)))
    return 'work';
  if (isCheckSetting(path) || shadowsModule(path, followed, before)) return 'whole';
  // A checker of types reads a stub in place of the module.
  if (!isOld && path.endsWith('.pyi') && before.has(path.slice(0, -1))) return 'whole';
  if (!isOld && isBelowAny(path, followed.programFolders)) return 'whole';
  if (isOld && followed.scripts.has(path)) return isTestFile(path) ? 'test' : 'whole';
  return isTestFile(path) ? 'test' : 'work';
}

function hasFilesBelow(tree: FileTree, folder: string): boolean {
  if (folder === '.') return true;
  for (const path of tree.keys()) if (path.startsWith(`${folder}/`)) return true;
  return false;
}

/** Whether the base has files that a new manifest would decide about. */
function hasAffectedFiles(before: FileTree, manifest: string): boolean {
  const folder = posix.dirname(manifest);
  if (isPackageFile(manifest)) return hasFilesBelow(before, folder);
  const affected = decidedFiles(manifest);
  for (const path of before.keys())
    if ((folder === '.' || path.startsWith(`${folder}/`)) && affected.test(path)) return true;
  return false;
}

function isBelowAny(path: string, folders: ReadonlySet<string>): boolean {
  const folder = posix.dirname(path);
  return folders.has(folder === '.' ? '' : folder);
}

const MODULE = /^([A-Za-z_]\w*)(?:\.(?:py|pyc|pyd|so)|\.[\w-]+\.(?:so|pyd))?$/;

/** Whether Python would load it in place of a module of its own or of a runner. */
function shadowsModule(path: string, { pythonRoots }: Followed, before: FileTree): boolean {
  const steps = path.split('/');
  for (const [index, step] of steps.entries()) {
    const [, name] = MODULE.exec(step) ?? [];
    const isLast = index === steps.length - 1;
    if (name === undefined || (isLast && step === name)) continue;
    if (!STANDARD_MODULES.has(name) && !CHECKING_MODULES.has(name)) continue;
    const folder = steps.slice(0, index).join('/');
    const isRoot = pythonRoots.has(folder) || folder === '' || folder === 'src' || folder === 'lib';
    if (isRoot && (isLast || (isPythonFile(path) && isOfPackage(steps, index, before))))
      return true;
    // A runner puts the folder of each test first, unless that is a package.
    if (holdsPythonTests(before, folder) && !before.has(`${folder}/__init__.py`)) return true;
  }
  return false;
}

/** Whether the folder at that step is a package: one without `__init__.py` gives way to installed modules. */
function isOfPackage(steps: readonly string[], index: number, before: FileTree): boolean {
  const folder = steps.slice(0, index + 1).join('/');
  const rest = steps.slice(index + 1).join('/');
  return rest.startsWith('__init__.') || before.has(`${folder}/__init__.py`);
}

function isPythonFile(path: string): boolean {
  return /\.(?:py|pyc|pyd|so)$/.test(path);
}

function holdsPythonTests(tree: FileTree, folder: string): boolean {
  for (const path of tree.keys())
    if (path.endsWith('.py') && posix.dirname(path) === (folder || '.') && isTestFile(path))
      return true;
  return false;
}

const PACKAGE_ROOTS =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.py|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|mix\.exs)$/;

/** The folders of packages that have tests in the base. */
function testAreas(before: FileTree): {
  readonly roots: readonly string[];
  readonly tested: ReadonlySet<string>;
} {
  const roots = [...before.keys()]
    .filter((path) => PACKAGE_ROOTS.test(path))
    .map((path) => posix.dirname(path))
    .map((folder) => (folder === '.' ? '' : folder));
  const tested = new Set<string>();
  for (const path of before.keys()) if (isTestFile(path)) tested.add(findPackageRoot(path, roots));
  return { roots, tested };
}

function findPackageRoot(path: string, roots: readonly string[]): string {
  return roots.reduce(
    (best, root) => (root.length > best.length && path.startsWith(`${root}/`) ? root : best),
    '',
  );
}

/**
 * Whether a new test can be left out while the tests of the base run: its package has tests in the base,
 * and the command was not told to run just this one. Otherwise there would be nothing to run.
 */
function isReplaceable(
  path: string,
  { named }: Followed,
  before: FileTree,
  { roots, tested }: ReturnType<typeof testAreas>,
): boolean {
  if (named.has(path)) return false;
  for (const word of named) {
    if (word === '' || before.has(word)) continue;
    const isWithin = path.startsWith(`${word}/`);
    const isPart = !word.includes('/') && path.includes(word);
    if (
      (isWithin || isPart) &&
      ![...before.keys()].some((one) => one.includes(word) && isTestFile(one))
    )
      return false;
  }
  return tested.has(findPackageRoot(path, roots));
}
