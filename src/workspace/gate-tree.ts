/**
 * A tree for one check alone: files of the vault in a folder of their own, which is gone afterwards.
 * Nothing that an agent left running, ignored or uncommitted is in it.
 */
import { join } from 'node:path';
import { ensurePrivateDir } from '../host/files/atomic-files.ts';
import { writeBlob } from '../host/git/git-object.ts';
import { scratchDir } from '../host/files/scratch-dir.ts';
import { makeFolder, removeTree } from '../host/files/tree/write-tree.ts';
import { runGit } from './git.ts';
import { TREE_LIMITS } from './tree-limits.ts';
import { checkOut } from './create-workspace.ts';
import { lookAtProject } from './project.ts';
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

/** What is to be judged, and what it grew out of. */
export type GateTreeSource = {
  readonly vault: ShadowRepo;
  readonly commit: string;
  /** Null where nobody knows what was there before the work. */
  readonly before: FileTree | null;
  readonly after: FileTree;
  /** Where in the tree the user stood. */
  readonly inside: string;
  readonly repositories: readonly string[];
};

/** A commit that was kept of an attempt. */
export async function gateTreeOfCommit(
  place: WorkspaceId,
  commit: string,
  ports: WorkspacePorts,
): Promise<GateTreeSource> {
  const { base, inside, repositories } = await requireRecord(place);
  const vault = await openShadowRepo(workspacePaths(place).project, ports);
  const [before, after] = [await readTree(vault, base), await readTree(vault, commit)];
  return { vault, commit, before, after, inside, repositories };
}

/** The user's own folder as it is now, for work that was done in it. */
export async function gateTreeOfProject(
  path: string,
  home: string,
  ports: WorkspacePorts,
): Promise<GateTreeSource> {
  const project = await lookAtProject(ports, { path, home });
  const vault = await openShadowRepo(shadowRepoDir(home, project.root), ports);
  const { commit, tree, repositories } = await takeSnapshot(vault, project, {
    limits: TREE_LIMITS,
    message: 'What was there when it was checked',
    atMs: ports.clock.now(),
  });
  return { vault, commit, before: null, after: tree, inside: project.inside, repositories };
}

export type TextAt = { readonly path: string; readonly text: string };

/** A file's text in a tree of the vault; undefined where there is none, or no text that one would read. */
export async function textIn(
  vault: ShadowRepo,
  tree: FileTree,
  path: string,
): Promise<string | undefined> {
  const file = tree.get(path);
  if (file === undefined || file.mode === '120000' || file.bytes > TEXT_BYTES_MAX) return undefined;
  return (await readBlob(vault, file)).toString('utf8');
}

const TEXT_BYTES_MAX = 5_000_000;

/** The texts of these files by their id, of a link its target, without those that nobody would read. */
export async function readTexts(
  vault: ShadowRepo,
  files: readonly (TreeFileEntry | undefined)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Map<string, TreeFileEntry>();
  for (const file of files)
    if (file !== undefined && file.bytes <= TEXT_BYTES_MAX) wanted.set(file.id, file);
  const texts = new Map<string, string>();
  await readBlobs(vault, [...wanted.values()], async ({ id }, content) => {
    texts.set(id, content.toString('utf8'));
    await Promise.resolve();
  });
  return texts;
}

/** The same tree with these paths as another has them, and these texts in place of theirs. */
export async function withFiles(
  vault: ShadowRepo,
  tree: FileTree,
  from: FileTree,
  paths: readonly string[],
  texts: readonly TextAt[],
): Promise<FileTree> {
  const mended = new Map(tree);
  for (const path of paths) {
    const file = from.get(path);
    if (file === undefined) mended.delete(path);
    else mended.set(path, file);
  }
  for (const { path, text } of texts) {
    const content = Buffer.from(text);
    const id = await writeBlob(vault.objectsDir, content);
    const mode: TreeFileEntry['mode'] = from.get(path)?.mode === '100755' ? '100755' : '100644';
    mended.set(path, { mode, id, bytes: content.length });
  }
  return withoutFilesInTheWay(mended, [...paths, ...texts.map(({ path }) => path)]);
}

/** Where a file is put back, the work may have made a folder, or a file where its folder was. */
function withoutFilesInTheWay(tree: FileTree, placed: readonly string[]): FileTree {
  const there = placed.filter((path) => tree.has(path));
  const isInTheWay = (path: string): boolean =>
    there.some((one) => one.startsWith(`${path}/`) || path.startsWith(`${one}/`));
  return new Map([...tree].filter(([path]) => !isInTheWay(path)));
}

export type GateTree = AsyncDisposable & {
  /** Holds the tree and whatever else the check needs beside it. */
  readonly folder: string;
  readonly work: string;
  readonly cwd: string;
};

const REPOSITORY = { name: 'Supervisor', email: 'supervisor@localhost' };

/** Writes it out, with a repository of one commit: many checks ask git which files there are. */
export async function checkOutGateTree(
  { vault, inside, repositories }: GateTreeSource,
  tree: FileTree,
): Promise<GateTree> {
  const scratch = await scratchDir(vault.scratchDir);
  const work = join(scratch.path, 'work');
  try {
    await ensurePrivateDir(work);
    const id = await writeTree(vault, tree);
    await checkOut(vault, id, work);
    for (const path of repositories) await makeFolder(work, path);
    if (inside !== '') await makeFolder(work, inside);
    await giveRepository(vault, work);
  } catch (error) {
    await removeTree(scratch.path);
    throw error; // only what we have begun is our business here
  }
  return {
    folder: scratch.path,
    work,
    cwd: join(work, inside),
    [Symbol.asyncDispose]: () => removeTree(scratch.path),
  };
}

/** Runs git inside the tree, which is safe: nobody but us has written there yet. */
async function giveRepository({ ports }: ShadowRepo, work: string): Promise<void> {
  const call = { gitDir: join(work, '.git'), workTree: work, isThrowAway: true };
  await runGit(ports, ['init', '--quiet', '--template=', '--initial-branch=work'], call);
  await runGit(ports, ['config', 'user.name', REPOSITORY.name], call);
  await runGit(ports, ['config', 'user.email', REPOSITORY.email], call);
  await runGit(ports, ['add', '--all', '--force', '--', '.'], call);
  const tree = oneLineOutput(await runGit(ports, ['write-tree'], call));
  const commit = await runGit(ports, ['commit-tree', tree], {
    ...call,
    stdin: 'What is judged\n',
    signature: { ...REPOSITORY, atMs: ports.clock.now() },
  });
  await runGit(ports, ['update-ref', 'HEAD', oneLineOutput(commit)], call);
}
