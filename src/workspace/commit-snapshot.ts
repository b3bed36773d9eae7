/**
 * Stores the files of one commit of the user's repository in the shadow repository, as the commit has them. What the user
 * has checked out or changed since does not count.
 */
import { Refusal } from '../base/errors.ts';
import { writeBlob } from '../host/git/git-object.ts';
import { runGit } from './git.ts';
import { makeDurable } from './make-durable.ts';
import { objectionToPath } from './path-rules.ts';
import type { Project, ProjectPorts } from './project.ts';
import type { ShadowRepo } from './shadow-repo.ts';
import { oneLineOutput, readBlobs, readTree, writeCommit, writeTree } from './shadow-repo.ts';
import type { SnapshotOptions, TreeSnapshotResult } from './snapshot.ts';
import { changeNames } from './tree-entries.ts';
import { tooLarge } from './tree-limits.ts';

/** The whole name of a commit that a person has named, such as `HEAD~3`. Undefined: there is none of that name. */
export async function findCommit(
  ports: ProjectPorts,
  project: Project,
  name: string,
): Promise<string | undefined> {
  if (project.kind !== 'git' || name.startsWith('-')) return undefined;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const answer = await runGit(ports, args, { gitDir: project.gitDir, okCodes: [1, 128] });
  return answer.code === 0 ? oneLineOutput(answer) : undefined;
}

export async function takeCommitSnapshot(
  repo: ShadowRepo,
  project: Project,
  commit: string,
  { limits, message, atMs }: SnapshotOptions,
): Promise<TreeSnapshotResult> {
  if (project.kind !== 'git' || !project.isSha1 || project.isPartial) throw unreadable(project);
  // Both repositories name the same content with the same hash.
  const theirs: ShadowRepo = { ...repo, gitDir: project.gitDir };
  const listed = [...(await readTree(theirs, commit))];
  const tree = new Map(listed.filter(([path]) => !isOdd(path)));
  const sizes = [...tree.values()].map(({ bytes }) => bytes);
  const all = sizes.reduce((sum, bytes) => sum + bytes, 0);
  const isLarge =
    tree.size > limits.filesMax ||
    all > limits.bytesMax ||
    sizes.some((bytes) => bytes > limits.fileBytesMax);
  if (isLarge)
    throw tooLarge(`The commit ${commit.slice(0, 12)} has ${tree.size} files with ${all} bytes.`);
  await readBlobs(theirs, [...tree.values()], async (_, content) => {
    await writeBlob(repo.objectsDir, content);
  });
  const written = { tree: await writeTree(repo, tree), parents: [], message, atMs };
  const stored = await writeCommit(repo, written);
  await makeDurable(repo, stored);
  const odd = listed.map(([path]) => path).filter(isOdd);
  const notes = odd.length === 0 ? [] : [{ kind: 'left-out' as const, ...changeNames(odd) }];
  return { commit: stored, tree, notes, repositories: [] };
}

/** Such a path is in no tree of an agent. */
function isOdd(path: string): boolean {
  return path.includes('\uFFFD') || objectionToPath(path) !== undefined;
}

function unreadable({ root }: Project): Refusal {
  return new Refusal({
    code: 'workspace.unsupported',
    message: `No commit of ${root} can be read: it is no whole git repository with SHA-1 hashes.`,
    hint: 'Start from the files as they are, without a base.',
  });
}
