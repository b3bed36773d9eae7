/** Reads the files of a project, as far as `detectCommands` needs them. Only reads. */
import { gitOutput } from '../host/git/git-output.ts';
import { listFolders } from '../host/files/list-folder.ts';
import { listTree } from '../host/files/tree/list-tree.ts';
import { TreeReader } from '../host/files/tree/tree-reader.ts';
import type { ProjectListing } from './listing.ts';
import { isDecisive, isPythonTest } from './listing.ts';

const FILES_MAX = 200_000;
const TEXTS_MAX = 500;
const TEXT_BYTES_MAX = 1_000_000;
/** A person waits for the listing. If git hangs, the files are listed without it. */
const LIST_MS_MAX = 10_000;
/** A few are enough to see which test library they use. */
const PYTHON_TESTS_MAX = 5;

export async function readListing(root: string): Promise<ProjectListing> {
  const reader = new TreeReader(root);
  const [listed, hidden] = await Promise.all([
    gitOutput(root, ['ls-files', '-z', '-co', '--exclude-standard'], LIST_MS_MAX),
    gitOutput(root, ['ls-files', '-z', '-oi', '--exclude-standard', '--directory'], LIST_MS_MAX),
  ]);
  const { paths, ignored } =
    listed.kind === 'output' && hidden.kind === 'output'
      ? { paths: splitNul(listed.bytes), ignored: splitNul(hidden.bytes).map(withoutSlash) }
      : await listWithoutGit(root, reader);
  const shown = [...new Set(paths)].slice(0, FILES_MAX);
  const texts = new Map<string, string>();
  for (const path of decisivePaths(shown)) {
    const file = await reader.read(path, TEXT_BYTES_MAX);
    if (file.kind === 'text') texts.set(path, file.text);
  }
  return {
    paths: shown,
    ignored,
    texts,
  };
}

/** Folders of dependencies, which `listTree` leaves out. */
const DEPENDENCIES = ['node_modules', '.venv', 'venv', 'env', 'vendor'];

/** Without git, a copy contains the dependencies too, unless a `.gitignore` names them. */
async function listWithoutGit(
  root: string,
  reader: TreeReader,
): Promise<Pick<ProjectListing, 'paths' | 'ignored'>> {
  const rules = await reader.read('.gitignore', TEXT_BYTES_MAX);
  const names = rules.kind === 'text' ? rules.text.split('\n').map((line) => line.trim()) : [];
  const isIgnored = (name: string): boolean =>
    names.some((rule) => [name, `/${name}`].includes(withoutSlash(rule)));
  const there = (await listFolders(root))
    .map(({ name }) => name)
    .filter((name) => DEPENDENCIES.includes(name));
  return {
    paths: [
      ...(await listTree(root, FILES_MAX)),
      ...there.filter((name) => !isIgnored(name)).map((name) => `${name}/`),
    ],
    ignored: there.filter(isIgnored),
  };
}

/** Files near the top come first, because they decide more. */
function decisivePaths(paths: readonly string[]): readonly string[] {
  const decisive = paths.filter(isDecisive);
  const tests = decisive.filter(isPythonTest).slice(0, PYTHON_TESTS_MAX);
  const manifests = decisive
    .filter((path) => !isPythonTest(path))
    .toSorted((one, other) => depth(one) - depth(other));
  return [...manifests.slice(0, TEXTS_MAX), ...tests];
}

function depth(path: string): number {
  return path.split('/').length;
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}

function splitNul(bytes: Buffer): readonly string[] {
  return bytes
    .toString('utf8')
    .split('\0')
    .filter((one) => one !== '');
}
