/**
 * The vault: a bare repository of ours, one for each project, that no agent ever sees. It holds what
 * the user had, what each attempt left, and what an apply replaced, each on a ref. It reads no
 * configuration, attributes or hooks but the ones written here.
 */
import { join } from 'node:path';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { contentKey } from '../host/git/git-object.ts';
import { scratchDir } from '../host/files/scratch-dir.ts';
import { readSmallFile } from '../host/files/small-file.ts';
import { listTreeFolder } from '../host/files/tree/read-tree.ts';
import type { GitAnswer, GitCall, GitPorts, Signature } from './git.ts';
import { nulSeparated, runGit } from './git.ts';
import type { TreeFileEntry, FileTree } from './tree-entries.ts';
import { parseTreeLine } from './tree-entries.ts';

/** Content is kept as it lies on the disk: nothing in a tree may ask for it to be converted. */
const ATTRIBUTES =
  '* -text -crlf !eol -ident !filter !working-tree-encoding !diff !merge !export-subst !whitespace\n';

/** Some git processes start others that lose our overrides; this file is what those still read. */
const TRUST = '[safe]\n\tdirectory = *\n';

const SIGNATURE = { name: 'Supervisor', email: 'supervisor@localhost' };

export type ShadowRepo = {
  readonly ports: GitPorts;
  readonly gitDir: string;
  readonly objectsDir: string;
  /** For files that are in use for one call only. */
  readonly scratchDir: string;
  readonly configFile: string;
};

/** The folder of a project, by where the project lies. */
export function shadowRepoDir(home: string, root: string): string {
  return join(home, 'projects', contentKey(root).slice(0, 16));
}

/** Opens the vault of a project, or makes it. */
export async function openShadowRepo(dir: string, ports: GitPorts): Promise<ShadowRepo> {
  const gitDir = join(dir, 'vault.git');
  const vault: ShadowRepo = {
    ports,
    gitDir,
    objectsDir: join(gitDir, 'objects'),
    scratchDir: join(dir, 'scratch'),
    configFile: join(dir, 'gitconfig'),
  };
  await ensurePrivateDir(dir);
  await ensurePrivateDir(vault.scratchDir);
  const made = (beingMade.get(gitDir) ?? Promise.resolve()).then(() => makeOnce(vault, dir));
  const settled = made.catch(() => undefined); // whoever asked hears of it
  beingMade.set(gitDir, settled);
  void settled.then(() => beingMade.get(gitDir) === settled && beingMade.delete(gitDir));
  await made;
  return vault;
}

/** One after the other: two runs of a project may begin in the same moment, and git's own lock only says no. */
const beingMade = new Map<string, Promise<void>>();

async function makeOnce(vault: ShadowRepo, dir: string): Promise<void> {
  const { gitDir } = vault;
  const marker = join(gitDir, 'info', 'attributes'); // written last, so a vault with it is whole
  if ((await readSmallFile(marker, ATTRIBUTES.length)).kind === 'text') return;
  await ensurePrivateDir(gitDir);
  await gitInRepo(vault, [
    'init',
    '--quiet',
    '--bare',
    '--template=',
    '--object-format=sha1',
    gitDir,
  ]);
  await ensurePrivateDir(join(gitDir, 'info'));
  await writeFileAtomic(join(dir, 'gitconfig'), TRUST);
  await writeFileAtomic(marker, ATTRIBUTES);
}

export function gitInRepo(
  vault: ShadowRepo,
  args: readonly string[],
  call: Omit<GitCall, 'gitDir'> = {},
): Promise<GitAnswer> {
  return runGit(vault.ports, args, { ...call, gitDir: vault.gitDir });
}

/** All files of a commit or tree in the vault. */
export async function readTree(vault: ShadowRepo, commit: string): Promise<FileTree> {
  const { stdout } = await gitInRepo(vault, ['ls-tree', '-r', '-l', '-z', '--full-tree', commit]);
  return new Map(
    nulSeparated(stdout)
      .map(parseTreeLine)
      .filter((line) => line !== undefined),
  );
}

/** Writes a tree out of blobs that the vault has. */
export async function writeTree(vault: ShadowRepo, tree: FileTree): Promise<string> {
  await using scratch = await scratchDir(vault.scratchDir);
  const call = { indexFile: join(scratch.path, 'index') };
  const lines = [...tree].map(([path, { mode, id }]) => `${mode} ${id}\t${path}\0`);
  await gitInRepo(vault, ['update-index', '-z', '--index-info'], {
    ...call,
    stdin: lines.join(''),
  });
  return oneLineOutput(await gitInRepo(vault, ['write-tree'], call));
}

export type CommitMessage = {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly atMs: number;
};

export async function writeCommit(
  vault: ShadowRepo,
  { tree, parents, message, atMs }: CommitMessage,
): Promise<string> {
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])];
  const signature: Signature = { ...SIGNATURE, atMs };
  return oneLineOutput(await gitInRepo(vault, args, { stdin: `${message}\n`, signature }));
}

/** More packs than this are made into one: git looks through all of them. */
const PACKS_MAX = 40;

/** Puts all of a commit that an earlier one does not have on the disk for good, before a ref names it. */
export async function makeDurable(
  vault: ShadowRepo,
  commit: string,
  earlier?: string,
): Promise<void> {
  const name = join(vault.objectsDir, 'pack', 'pack');
  const stdin = `${commit}\n${earlier === undefined ? '' : `^${earlier}\n`}`;
  await gitInRepo(vault, ['pack-objects', '--quiet', '--revs', '--window=0', name], { stdin });
  await gitInRepo(vault, ['prune-packed', '--quiet']);
  const packs = (await listTreeFolder(vault.objectsDir, 'pack')) ?? [];
  if (packs.filter((entry) => entry.name.endsWith('.pack')).length > PACKS_MAX)
    await gitInRepo(vault, ['repack', '--quiet', '-a', '-d', '--keep-unreachable']);
}

/** What a ref names, or undefined when there is none. */
export async function readRef(vault: ShadowRepo, ref: string): Promise<string | undefined> {
  const answer = await gitInRepo(vault, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], {
    okCodes: [1],
  });
  return answer.code === 0 ? oneLineOutput(answer) : undefined;
}

export async function treeOfCommit(vault: ShadowRepo, commit: string): Promise<string> {
  return oneLineOutput(await gitInRepo(vault, ['rev-parse', '--verify', `${commit}^{tree}`]));
}

export async function writeRef(vault: ShadowRepo, ref: string, commit: string): Promise<void> {
  await gitInRepo(vault, ['update-ref', '--no-deref', '-m', 'supervisor', ref, commit]);
}

const BATCH_BYTES_MAX = 64_000_000;

/** Hands over the content of each file, so many at a time as fit into memory. */
export async function readBlobs(
  vault: ShadowRepo,
  files: readonly TreeFileEntry[],
  take: (file: TreeFileEntry, content: Buffer) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < files.length;) {
    let [end, bytes] = [start, 0];
    do bytes += files[end++]?.bytes ?? 0;
    while (end < files.length && bytes + (files[end]?.bytes ?? 0) <= BATCH_BYTES_MAX);
    const batch = files.slice(start, end);
    const stdin = batch.map(({ id }) => `${id}\n`).join('');
    const { stdout } = await gitInRepo(vault, ['cat-file', '--batch'], { stdin });
    let at = 0;
    for (const file of batch) {
      const body = stdout.indexOf(10, at) + 1; // after `<id> blob <bytes>` and a line feed
      at = body + file.bytes + 1;
      await take(file, stdout.subarray(body, at - 1));
    }
    start = end;
  }
}

export async function readBlob(vault: ShadowRepo, file: TreeFileEntry): Promise<Buffer> {
  let content: Buffer = Buffer.alloc(0);
  await readBlobs(vault, [file], async (_, read) => {
    content = read;
    await Promise.resolve();
  });
  return content;
}

export function oneLineOutput({ stdout }: GitAnswer): string {
  return stdout.toString('utf8').trim();
}
