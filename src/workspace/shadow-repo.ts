/**
 * The shadow repository: a bare repository of Supervisor, one for each project, that no agent ever sees. It stores
 * the user's state, the work of each attempt, and what an apply replaced, each on a ref. It uses no configuration,
 * attributes or hooks except those written here.
 */
import { join } from 'node:path';
import { KeyedSerial } from '../base/serial.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { contentKey } from '../host/git/git-object.ts';
import { keepObjectFolders, lastFolderKeeper } from '../host/git/object-folders.ts';
import { scratchDir } from '../host/files/scratch-folder.ts';
import { readSmallFile } from '../host/files/read-text-file.ts';
import type { GitAnswer, GitCall, GitPorts, Signature } from './git.ts';
import { nulSeparated, runGit } from './git.ts';
import type { TreeFileEntry, FileTree } from './tree-entries.ts';
import { parseTreeLine } from './tree-entries.ts';

/** Content is stored byte for byte. No attribute in a tree may convert it. */
const ATTRIBUTES =
  '* -text -crlf !eol -ident !filter !working-tree-encoding !diff !merge !export-subst !whitespace\n';

/** Some git processes start others that do not get our overrides. Those still read this file. */
const TRUST = '[safe]\n\tdirectory = *\n';

const SIGNATURE = { name: 'Supervisor', email: 'supervisor@localhost' };

export type ShadowRepo = {
  readonly ports: GitPorts;
  readonly gitDir: string;
  readonly objectsDir: string;
  /** For files that are needed for one call only. */
  readonly scratchDir: string;
  readonly configFile: string;
};

/** The folder of a project, by the path of the project. */
export function shadowRepoDir(home: string, root: string): string {
  return join(home, 'projects', contentKey(root).slice(0, 16));
}

/** Opens the shadow repository of a project, and creates it if it does not exist. */
export async function openShadowRepo(dir: string, ports: GitPorts): Promise<ShadowRepo> {
  const gitDir = join(dir, 'vault.git');
  const repo: ShadowRepo = {
    ports,
    gitDir,
    objectsDir: join(gitDir, 'objects'),
    scratchDir: join(dir, 'scratch'),
    configFile: join(dir, 'gitconfig'),
  };
  await ensurePrivateDir(dir);
  await ensurePrivateDir(repo.scratchDir);
  await creations.run(gitDir, () => createOnce(repo, dir));
  return repo;
}

/** Two runs of a project may start at the same moment, and git's own lock would only fail one of them. */
const creations = new KeyedSerial();

async function createOnce(repo: ShadowRepo, dir: string): Promise<void> {
  const { gitDir } = repo;
  const marker = lastFolderKeeper(repo.objectsDir); // written last, so a repository with this file is complete
  if ((await readSmallFile(marker, 1)).kind === 'text') return;
  await ensurePrivateDir(gitDir);
  await gitInRepo(repo, [
    'init',
    '--quiet',
    '--bare',
    '--template=',
    '--object-format=sha1',
    gitDir,
  ]);
  await ensurePrivateDir(join(gitDir, 'info'));
  await writeFileAtomic(join(dir, 'gitconfig'), TRUST);
  await writeFileAtomic(join(gitDir, 'info', 'attributes'), ATTRIBUTES);
  keepObjectFolders(repo.objectsDir);
}

export function gitInRepo(
  repo: ShadowRepo,
  args: readonly string[],
  call: Omit<GitCall, 'gitDir'> = {},
): Promise<GitAnswer> {
  return runGit(repo.ports, args, { ...call, gitDir: repo.gitDir });
}

/** All files of a commit or tree of the shadow repository. */
export async function readTree(repo: ShadowRepo, commit: string): Promise<FileTree> {
  const { stdout } = await gitInRepo(repo, ['ls-tree', '-r', '-l', '-z', '--full-tree', commit]);
  return new Map(
    nulSeparated(stdout)
      .map(parseTreeLine)
      .filter((line) => line !== undefined),
  );
}

/** Writes a tree of blobs that the shadow repository already has. */
export async function writeTree(repo: ShadowRepo, tree: FileTree): Promise<string> {
  await using scratch = await scratchDir(repo.scratchDir);
  const call = { indexFile: join(scratch.path, 'index') };
  const lines = [...tree].map(([path, { mode, id }]) => `${mode} ${id}\t${path}\0`);
  await gitInRepo(repo, ['update-index', '-z', '--index-info'], {
    ...call,
    stdin: lines.join(''),
  });
  return oneLineOutput(await gitInRepo(repo, ['write-tree'], call));
}

export type CommitMessage = {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly atMs: number;
};

export async function writeCommit(
  repo: ShadowRepo,
  { tree, parents, message, atMs }: CommitMessage,
): Promise<string> {
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])];
  const signature: Signature = { ...SIGNATURE, atMs };
  return oneLineOutput(await gitInRepo(repo, args, { stdin: `${message}\n`, signature }));
}

/** The commit of a ref. Undefined if the ref does not exist. */
export async function readRef(repo: ShadowRepo, ref: string): Promise<string | undefined> {
  const answer = await gitInRepo(repo, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], {
    okCodes: [1],
  });
  return answer.code === 0 ? oneLineOutput(answer) : undefined;
}

/** A commit names its tree by its own hash, so the tree of a commit is the same in every repository, for ever. */
const treesOfCommits = new Map<string, string>();
const TREES_MAX = 1000;
const FULL_ID = /^[0-9a-f]{40}$/;

/** Undefined: `treeOfCommit` has not been asked for it, or long ago. */
export function knownTreeOfCommit(commit: string): string | undefined {
  return treesOfCommits.get(commit);
}

export async function treeOfCommit(repo: ShadowRepo, commit: string): Promise<string> {
  const known = knownTreeOfCommit(commit);
  if (known !== undefined) return known;
  const args = ['rev-parse', '--verify', `${commit}^{tree}`];
  const tree = oneLineOutput(await gitInRepo(repo, args));
  if (!FULL_ID.test(commit)) return tree;
  const [oldest] = treesOfCommits.keys();
  if (treesOfCommits.size >= TREES_MAX && oldest !== undefined) treesOfCommits.delete(oldest);
  treesOfCommits.set(commit, tree);
  return tree;
}

export async function writeRef(repo: ShadowRepo, ref: string, commit: string): Promise<void> {
  await gitInRepo(repo, ['update-ref', '--no-deref', '-m', 'supervisor', ref, commit]);
}

const BATCH_BYTES_MAX = 64_000_000;

/** Passes the content of each file to `take`, in batches that fit into memory. */
export async function readBlobs(
  repo: ShadowRepo,
  files: readonly TreeFileEntry[],
  onContent: (file: TreeFileEntry, content: Buffer) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < files.length;) {
    let [end, bytes] = [start, 0];
    do bytes += files[end++]?.bytes ?? 0;
    while (end < files.length && bytes + (files[end]?.bytes ?? 0) <= BATCH_BYTES_MAX);
    const batch = files.slice(start, end);
    const stdin = batch.map(({ id }) => `${id}\n`).join('');
    const { stdout } = await gitInRepo(repo, ['cat-file', '--batch'], { stdin });
    let at = 0;
    for (const file of batch) {
      const body = stdout.indexOf(10, at) + 1; // after `<id> blob <bytes>` and a line feed
      at = body + file.bytes + 1;
      await onContent(file, stdout.subarray(body, at - 1));
    }
    start = end;
  }
}

export async function readBlob(repo: ShadowRepo, file: TreeFileEntry): Promise<Buffer> {
  let content: Buffer = Buffer.alloc(0);
  await readBlobs(repo, [file], async (_, read) => {
    content = read;
    await Promise.resolve();
  });
  return content;
}

export function oneLineOutput({ stdout }: GitAnswer): string {
  return stdout.toString('utf8').trim();
}
