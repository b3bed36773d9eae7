/**
 * Finds the parts of an agent's work that a person has to approve before it is applied. These are Supervisor's own
 * settings, files that run by themselves, and tests of the base that the work changed, deleted or skips.
 */
import { posix } from 'node:path';
import { executingFile } from './executing-files.ts';
import { executingPart, hasExecutingPart } from './executing-parts.ts';
import { readTexts } from '../gate-tree.ts';
import type { NamedLink } from './link-names.ts';
import { linkNames } from './link-names.ts';
import { foldName } from '../path-rules.ts';
import type { LoadTexts } from './started-files.ts';
import { startedFiles } from './started-files.ts';
import { changedTests } from './changed-tests.ts';
import type { FileChange, FileTree } from '../tree-entries.ts';
import type { ShadowRepo } from '../shadow-repo.ts';
import { readBlobs } from '../shadow-repo.ts';

export type NeededApproval = {
  readonly path: string;
  /** `settings`: --include-settings; `executing`: --include-executing; `tests`: --include-tests. */
  readonly needs: 'settings' | 'executing' | 'tests';
  /** Completes "it is …". */
  readonly why: string;
};

type AgentWork = {
  readonly before: FileTree;
  readonly after: FileTree;
  readonly changes: readonly FileChange[];
};

/** Sorted by path. A path appears once for each kind of approval. */
export async function findApprovals(
  repo: ShadowRepo,
  work: AgentWork,
): Promise<readonly NeededApproval[]> {
  const found = [
    ...(await executingChanges(repo, work)),
    ...(await changedTests(repo, work)).map(({ path, how }) => ({
      path,
      needs: 'tests' as const,
      why: `a test of the base that the work ${how}`,
    })),
  ];
  return found.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

async function executingChanges(
  repo: ShadowRepo,
  work: AgentWork,
): Promise<readonly NeededApproval[]> {
  const { before, after, changes } = work;
  const links = [...(await readLinks(repo, before)), ...(await readLinks(repo, after))];
  const findNames = linkNames(links);
  const started = await findStarted(repo, before, after);
  const manifests = changes.filter(({ path }) => findNames(path).names.some(hasExecutingPart));
  const texts = await readTexts(
    repo,
    manifests.flatMap(({ path }) => [before.get(path), after.get(path)]),
  );
  const repositories = new Set([...repositoryFolders(before), ...repositoryFolders(after)]);
  const found: NeededApproval[] = [];
  for (const { path } of changes) {
    const { names, isCut } = findNames(path);
    const executing = names.map((name) => executingFile(name)).find((one) => one !== undefined);
    if (executing !== undefined) {
      found.push({ path, needs: executing.needs, why: executing.why });
    } else if (names.some(hasExecutingPart)) {
      if (executingPartDiffers(texts, work, path))
        found.push({ path, needs: 'executing', why: 'a manifest whose scripts or hooks changed' });
    } else if (names.some((name) => started.has(name))) {
      const by = names.map((name) => started.get(name)).find((one) => one !== undefined);
      found.push({ path, needs: 'executing', why: `started by ${by}` });
    } else if (names.some((name) => isOfBareRepository(name, repositories))) {
      found.push({
        path,
        needs: 'executing',
        why: 'part of a repository whose settings git obeys',
      });
    } else if (isCut) {
      found.push({ path, needs: 'executing', why: 'reached by more links than are followed' });
    }
  }
  return found;
}

const LINKS_MAX = 1000;
/** Each symlink with the path in the tree that it points to. */
async function readLinks(repo: ShadowRepo, tree: FileTree): Promise<readonly NamedLink[]> {
  const files = [...tree].filter(([, { mode }]) => mode === '120000').slice(0, LINKS_MAX);
  const targets = new Map<string, string>();
  await readBlobs(
    repo,
    files.map(([, file]) => file),
    async ({ id }, content) => {
      targets.set(id, content.toString('utf8'));
      await Promise.resolve();
    },
  );
  return files.flatMap(([at, { id }]) => {
    const target = targets.get(id) ?? '/';
    return target.startsWith('/') ? [] : [{ at, to: posix.join(posix.dirname(at), target) }];
  });
}

/** Files that are started in either tree: by the base today, and by the tree after the work. */
async function findStarted(
  repo: ShadowRepo,
  ...trees: readonly FileTree[]
): Promise<Map<string, string>> {
  const paths = new Set(trees.flatMap((tree) => [...tree.keys()]));
  const started = new Map<string, string>();
  for (const tree of trees) {
    const loadTexts: LoadTexts = async (paths) => {
      const texts = await readTexts(
        repo,
        paths.map((path) => tree.get(path)),
      );
      return new Map(
        paths.flatMap((path) => {
          const text = texts.get(tree.get(path)?.id ?? '');
          return text === undefined ? [] : [[path, text] as const];
        }),
      );
    };
    for (const [path, by] of await startedFiles(paths, loadTexts)) started.set(path, by);
  }
  return started;
}

function executingPartDiffers(
  texts: ReadonlyMap<string, string>,
  { before, after }: AgentWork,
  path: string,
): boolean {
  const part = (tree: FileTree): string | undefined => {
    const file = tree.get(path);
    // A missing manifest is equal to an empty one.
    const empty = /\.jsonc?$/i.test(path) ? '{}' : '';
    return executingPart(path, file === undefined ? empty : (texts.get(file.id) ?? ''));
  };
  const afterPart = part(after);
  // An unreadable manifest needs an approval.
  return afterPart === undefined || part(before) !== afterPart;
}

/** Each of these files can point git to the other parts of a repository, wherever they are. */
const REPOSITORY_FILES = new Set(['head', 'commondir', 'config.worktree', 'gitdir']);
const REPOSITORY_FOLDERS = new Set(['objects', 'refs']);

/** The folders that contain `objects` or `refs`, with folded names. */
function repositoryFolders(tree: FileTree): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of tree.keys()) {
    const steps = path.split('/').map((step) => foldName(step));
    for (const [index, step] of steps.entries())
      if (REPOSITORY_FOLDERS.has(step)) found.add(steps.slice(0, index).join('/'));
  }
  return found;
}

/** Git treats a folder with such files as a repository and runs commands from its `config`. */
function isOfBareRepository(path: string, repositories: ReadonlySet<string>): boolean {
  const steps = path.split('/').map((step) => foldName(step));
  const name = steps.pop() ?? '';
  return REPOSITORY_FILES.has(name) || (name === 'config' && repositories.has(steps.join('/')));
}
