/**
 * A tree for one gate: files of the shadow repository in a separate folder, which is removed afterwards. It contains
 * nothing that an agent left running, ignored or uncommitted.
 */
import { join } from 'node:path';
import { ensurePrivateDir } from '../host/files/atomic-files.ts';
import { writeBlob } from '../host/git/git-object.ts';
import { scratchDir } from '../host/files/scratch-folder.ts';
import { makeFolder, removeTree } from '../host/files/tree/write-tree.ts';
import { runGit } from './git.ts';
import { TREE_LIMITS } from './tree-limits.ts';
import { checkOut } from './create-workspace.ts';
import { inspectProject } from './project.ts';
import { takeSnapshot } from './snapshot.ts';
import type { TreeFileEntry, FileTree } from './tree-entries.ts';
import type { ShadowRepo } from './shadow-repo.ts';
import {
  oneLineOutput,
  openShadowRepo,
  shadowRepoDir,
  readBlob,
  readBlobs,
  readTree,
  writeTree,
} from './shadow-repo.ts';
import type { WorkspaceId, WorkspacePorts } from './workspace.ts';
import { requireRecord, workspacePaths } from './workspace.ts';

/** The tree to check, and the tree that the work started from. */
export type GateTreeSource = {
  readonly repo: ShadowRepo;
  readonly commit: string;
  /** Null if the state before the work is unknown. */
  readonly before: FileTree | null;
  readonly after: FileTree;
  /** The user's folder inside the tree. */
  readonly inside: string;
  readonly repositories: readonly string[];
};

/** From a commit of an attempt's work. */
export async function gateTreeOfCommit(
  workspace: WorkspaceId,
  commit: string,
  ports: WorkspacePorts,
): Promise<GateTreeSource> {
  const { base, inside, repositories } = await requireRecord(workspace);
  const repo = await openShadowRepo(workspacePaths(workspace).project, ports);
  const [before, after] = [await readTree(repo, base), await readTree(repo, commit)];
  return { repo, commit, before, after, inside, repositories };
}

/** From the user's own folder as it is now, for work that was done directly in it. */
export async function gateTreeOfProject(
  path: string,
  home: string,
  ports: WorkspacePorts,
): Promise<GateTreeSource> {
  const project = await inspectProject(ports, { path, home });
  const repo = await openShadowRepo(shadowRepoDir(home, project.root), ports);
  const { commit, tree, repositories } = await takeSnapshot(repo, project, {
    limits: TREE_LIMITS,
    message: 'The state when it was checked',
    atMs: ports.clock.now(),
  });
  return { repo, commit, before: null, after: tree, inside: project.inside, repositories };
}

export type TextAt = { readonly path: string; readonly text: string };

/**
 * The text of a file in a tree of the shadow repository. Undefined if it does not exist, is a symlink or is too
 * large.
 */
export async function readTextIn(
  repo: ShadowRepo,
  tree: FileTree,
  path: string,
): Promise<string | undefined> {
  const file = tree.get(path);
  if (file === undefined || file.mode === '120000' || file.bytes > TEXT_BYTES_MAX) return undefined;
  return (await readBlob(repo, file)).toString('utf8');
}

const TEXT_BYTES_MAX = 5_000_000;

/** The texts of these files by id, or the target of a symlink. Files that are too large are left out. */
export async function readTexts(
  repo: ShadowRepo,
  files: readonly (TreeFileEntry | undefined)[],
): Promise<ReadonlyMap<string, string>> {
  const smallFiles = new Map<string, TreeFileEntry>();
  for (const file of files)
    if (file !== undefined && file.bytes <= TEXT_BYTES_MAX) smallFiles.set(file.id, file);
  const texts = new Map<string, string>();
  await readBlobs(repo, [...smallFiles.values()], async ({ id }, content) => {
    texts.set(id, content.toString('utf8'));
    await Promise.resolve();
  });
  return texts;
}

/** The same tree, with these paths taken from another tree and these texts replaced. */
export async function withFiles(
  repo: ShadowRepo,
  tree: FileTree,
  from: FileTree,
  paths: readonly string[],
  texts: readonly TextAt[],
): Promise<FileTree> {
  const restored = new Map(tree);
  for (const path of paths) {
    const file = from.get(path);
    if (file === undefined) restored.delete(path);
    else restored.set(path, file);
  }
  for (const { path, text } of texts) {
    const content = Buffer.from(text);
    const id = await writeBlob(repo.objectsDir, content);
    const mode: TreeFileEntry['mode'] = from.get(path)?.mode === '100755' ? '100755' : '100644';
    restored.set(path, { mode, id, bytes: content.length });
  }
  return removeBlockingFiles(restored, [...paths, ...texts.map(({ path }) => path)]);
}

/**
 * Removes entries in the way of a restored file: the work may have created a folder at its path, or a file at the
 * path of its folder.
 */
function removeBlockingFiles(tree: FileTree, restoredFiles: readonly string[]): FileTree {
  const restoredPaths = restoredFiles.filter((path) => tree.has(path));
  const isInTheWay = (path: string): boolean =>
    restoredPaths.some((one) => one.startsWith(`${path}/`) || path.startsWith(`${one}/`));
  return new Map([...tree].filter(([path]) => !isInTheWay(path)));
}

export type GateTree = AsyncDisposable & {
  /** Contains the tree and any other files that the check needs. */
  readonly folder: string;
  readonly work: string;
  readonly cwd: string;
};

const REPOSITORY = { name: 'Supervisor', email: 'supervisor@localhost' };

/** Writes the tree, with a repository of one commit, because many checks ask git for the list of files. */
export async function checkOutGateTree(
  { repo, inside, repositories }: GateTreeSource,
  tree: FileTree,
): Promise<GateTree> {
  const scratch = await scratchDir(repo.scratchDir);
  const work = join(scratch.path, 'work');
  try {
    await ensurePrivateDir(work);
    const id = await writeTree(repo, tree);
    await checkOut(repo, id, work);
    for (const path of repositories) await makeFolder(work, path);
    if (inside !== '') await makeFolder(work, inside);
    await createRepository(repo, work);
  } catch (error) {
    await removeTree(scratch.path);
    throw error; // only our own folder is removed here
  }
  return {
    folder: scratch.path,
    work,
    cwd: join(work, inside),
    [Symbol.asyncDispose]: () => removeTree(scratch.path),
  };
}

/** Runs git inside the tree. This is safe, because no agent has written there. */
async function createRepository({ ports }: ShadowRepo, work: string): Promise<void> {
  const call = { gitDir: join(work, '.git'), workTree: work, isThrowAway: true };
  await runGit(ports, ['init', '--quiet', '--template=', '--initial-branch=work'], call);
  await runGit(ports, ['config', 'user.name', REPOSITORY.name], call);
  await runGit(ports, ['config', 'user.email', REPOSITORY.email], call);
  await runGit(ports, ['add', '--all', '--force', '--', '.'], call);
  const tree = oneLineOutput(await runGit(ports, ['write-tree'], call));
  const commit = await runGit(ports, ['commit-tree', tree], {
    ...call,
    stdin: 'The state to check\n',
    signature: { ...REPOSITORY, atMs: ports.clock.now() },
  });
  await runGit(ports, ['update-ref', 'HEAD', oneLineOutput(commit)], call);
}
