/** Writes a few texts on top of a state of the work, in the shadow repository: no checkout is touched. */
import { filesThatAreFolders, storeOnRef } from './merge-into.ts';
import type { StoredWork } from './merge-into.ts';
import { gitInRepo, oneLineOutput, openShadowRepo, readTree, treeOfCommit } from './shadow-repo.ts';
import { writeTree } from './shadow-repo.ts';
import type { TreeFileEntry } from './tree-entries.ts';
import { compareTrees } from './tree-entries.ts';
import type { WorkspaceId, WorkspacePorts } from './workspace.ts';
import { workspacePaths } from './workspace.ts';

export type WriteResult =
  | {
      readonly kind: 'written';
      readonly commit: string;
      readonly content: string;
      /** The files that differ now, sorted. */
      readonly names: readonly string[];
    }
  /** A file would be in a place where a folder is, or in a folder that is a file. */
  | { readonly kind: 'in-the-way'; readonly paths: readonly string[] };

/** `own`: the workspace that the result belongs to. A repetition gives the same result. */
export async function writeOnto(
  own: WorkspaceId,
  ports: WorkspacePorts,
  tip: StoredWork,
  files: readonly { readonly path: string; readonly text: string }[],
): Promise<WriteResult> {
  const repo = await openShadowRepo(workspacePaths(own).project, ports);
  const before = await readTree(repo, tip.commit);
  const after = new Map<string, TreeFileEntry>(before);
  for (const { path, text } of files) {
    const stdin = text.endsWith('\n') ? text : `${text}\n`;
    const args = ['hash-object', '-w', '--no-filters', '--stdin'];
    const id = oneLineOutput(await gitInRepo(repo, args, { stdin }));
    after.set(path, { mode: '100644', id, bytes: Buffer.byteLength(stdin) });
  }
  const paths = filesThatAreFolders(after);
  if (paths.length > 0) return { kind: 'in-the-way', paths };
  const tree = await writeTree(repo, after);
  const message = `Interfaces: ${files.map(({ path }) => path).join(', ')}`;
  const commit = await storeOnRef(own, ports, { repo, tree, tip, others: [], message });
  const names = compareTrees(before, after).map(({ path }) => path);
  return { kind: 'written', commit, content: await treeOfCommit(repo, commit), names };
}
