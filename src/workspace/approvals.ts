/**
 * What of an agent's work a person has to agree to before it is applied: supervisor's own settings, files
 * that run by themselves, and tests of the base that the work changed, deleted or skips.
 */
import { posix } from 'node:path';
import { isRecord, parseJson } from '../base/json.ts';
import { executingFile } from './executing-files.ts';
import { executingPart, hasExecutingPart } from './executing-parts.ts';
import { readTexts } from './judged-tree.ts';
import { foldName } from './path-rules.ts';
import { changedTests } from './changed-tests.ts';
import type { Change, Tree } from './tree.ts';
import type { Vault } from './vault.ts';
import { readBlobs } from './vault.ts';

export type Approval = {
  readonly path: string;
  /** `settings`: --include-settings; `executing`: --include-executing; `tests`: --include-tests. */
  readonly needs: 'settings' | 'executing' | 'tests';
  /** Completes "it is …". */
  readonly why: string;
};

type Work = {
  readonly before: Tree;
  readonly after: Tree;
  readonly changes: readonly Change[];
};

/** In the order of the paths; a path is named once for each kind of approval. */
export async function findApprovals(vault: Vault, work: Work): Promise<readonly Approval[]> {
  const found = [
    ...(await executingChanges(vault, work)),
    ...(await changedTests(vault, work)).map(({ path, how }) => ({
      path,
      needs: 'tests' as const,
      why: `a test of the base that the work ${how}`,
    })),
  ];
  return found.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

async function executingChanges(vault: Vault, work: Work): Promise<readonly Approval[]> {
  const { before, after, changes } = work;
  const links = [...(await linksOf(vault, before)), ...(await linksOf(vault, after))];
  const started = await startedByOthers(vault, after, before);
  const manifests = changes.filter(({ path }) => namesOf(path, links).some(hasExecutingPart));
  const texts = await readTexts(
    vault,
    manifests.flatMap(({ path }) => [before.get(path), after.get(path)]),
  );
  const repositories = new Set([...repositoryFolders(before), ...repositoryFolders(after)]);
  const found: Approval[] = [];
  for (const { path } of changes) {
    const names = namesOf(path, links);
    const executing = names.map((name) => executingFile(name)).find((one) => one !== undefined);
    if (executing !== undefined) {
      found.push({ path, needs: executing.needs, why: executing.why });
    } else if (names.some(hasExecutingPart)) {
      if (partDiffers(texts, work, path))
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
    }
  }
  return found;
}

const LINKS_MAX = 1000;
const HOPS_MAX = 3;

type Link = { readonly at: string; readonly to: string };

/** Each symlink with the place in the tree that it leads to. */
async function linksOf(vault: Vault, tree: Tree): Promise<readonly Link[]> {
  const files = [...tree].filter(([, { mode }]) => mode === '120000').slice(0, LINKS_MAX);
  const targets = new Map<string, string>();
  await readBlobs(
    vault,
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

/** A path, and every other path that leads to it through links of the tree. */
function namesOf(path: string, links: readonly Link[]): readonly string[] {
  const names = new Set([path]);
  for (let hop = 0; hop < HOPS_MAX; hop++)
    for (const name of names)
      for (const { at, to } of links) {
        const folder = to.replace(/\/+$/, '');
        if (folder === '.') names.add(posix.join(at, name));
        else if (name === folder || name.startsWith(`${folder}/`))
          names.add(at + name.slice(folder.length));
        if (names.size > LINKS_MAX) return [...names];
      }
  return [...names];
}

function partDiffers(
  texts: ReadonlyMap<string, string>,
  { before, after }: Work,
  path: string,
): boolean {
  const part = (tree: Tree): string | undefined => {
    const file = tree.get(path);
    // A manifest that is not there says as much as an empty one.
    const empty = /\.jsonc?$/i.test(path) ? '{}' : '';
    return executingPart(path, file === undefined ? empty : (texts.get(file.id) ?? ''));
  };
  const is = part(after);
  // One that can't be read is shown.
  return is === undefined || part(before) !== is;
}

const STARTERS_MAX = 500;
const LIFECYCLE =
  /^(?:pre|post)?(?:install|uninstall|prepare|publish|pack|version|dependencies|prepublishOnly)$/;

/** Files that a hook, a task of an editor or a lifecycle script names, by what names them. */
async function startedByOthers(
  vault: Vault,
  ...trees: readonly Tree[]
): Promise<ReadonlyMap<string, string>> {
  const started = new Map<string, string>();
  for (const tree of trees) {
    const starters = [...tree.keys()].filter(
      (path) =>
        (executingFile(path)?.startsOthers === true && !/\.md$/i.test(path)) ||
        foldName(posix.basename(path)) === 'package.json',
    );
    const some = starters.slice(0, STARTERS_MAX);
    const texts = await readTexts(
      vault,
      some.map((path) => tree.get(path)),
    );
    for (const path of some) {
      const text = texts.get(tree.get(path)?.id ?? '');
      const isPackage = foldName(posix.basename(path)) === 'package.json';
      const words = isPackage ? lifecycleOf(text ?? '') : (text ?? '');
      for (const word of words.match(/[\w@.+/-]+/g) ?? [])
        for (const folder of [posix.dirname(path), ''])
          for (const end of ['', '.js', '.cjs', '.mjs', '/index.js'])
            if (trees.some((one) => one.has(posix.join(folder, word) + end)))
              started.set(posix.join(folder, word) + end, path);
    }
  }
  return started;
}

function lifecycleOf(text: string): string {
  const found = parseJson(text);
  const scripts = isRecord(found) && isRecord(found['scripts']) ? found['scripts'] : {};
  return Object.entries(scripts)
    .filter(([name]) => LIFECYCLE.test(name))
    .map(([, line]) => String(line))
    .join('\n');
}

/** Each of these can lead git to the other parts of a repository, wherever those lie. */
const REPOSITORY_FILES = new Set(['head', 'commondir', 'config.worktree', 'gitdir']);
const REPOSITORY_FOLDERS = new Set(['objects', 'refs']);

/** The folders that hold `objects` or `refs`, folded. */
function repositoryFolders(tree: Tree): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of tree.keys()) {
    const steps = path.split('/').map((step) => foldName(step));
    for (const [index, step] of steps.entries())
      if (REPOSITORY_FOLDERS.has(step)) found.add(steps.slice(0, index).join('/'));
  }
  return found;
}

/** Git takes a folder with such files for a repository and runs what its `config` says. */
function isOfBareRepository(path: string, repositories: ReadonlySet<string>): boolean {
  const steps = path.split('/').map((step) => foldName(step));
  const name = steps.pop() ?? '';
  return REPOSITORY_FILES.has(name) || (name === 'config' && repositories.has(steps.join('/')));
}
