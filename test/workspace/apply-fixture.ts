import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRefusal } from '../../src/base/errors.ts';
import type { ApplyPlan, ApplyInput } from '../../src/workspace/apply/apply.ts';
import { planApply } from '../../src/workspace/apply/apply.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import type { Workspace } from '../../src/workspace/create-workspace.ts';
import type { SnapshotNote } from '../../src/workspace/snapshot.ts';
import type { WorkspaceHarness, Files } from './workspace-harness.ts';
import { write } from './workspace-harness.ts';

/** For `assert.rejects`. */
export function refusedAs(code: string, words = /./): (error: unknown) => boolean {
  return (error) => isRefusal(error) && error.data.code === code && words.test(error.message);
}

/** A null is a deletion. */
export async function edit(
  root: string,
  files: Readonly<Record<string, Files[string] | null>>,
): Promise<void> {
  for (const [path, file] of Object.entries(files)) {
    if (file === null) await rm(join(root, path), { recursive: true });
    else await write(root, { [path]: file });
  }
}

/** Commits the work and plans its apply. */
export async function plan(
  b: WorkspaceHarness,
  ws: Workspace,
  more: Partial<ApplyInput> = {},
): Promise<ApplyPlan> {
  const { commit } = await commitWorkspace(ws.id, b.ports);
  return planApply(ws.id, b.ports, { commit, ...more });
}

export const FILES: Files = {
  'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
  'b.txt': 'b\n',
  'run.sh': { x: 'run' },
  'dir/x': 'x',
  'dir/y': 'y',
  file: 'a file',
  link: { to: 'a.txt' },
};

/** Every kind of edit, also files that become folders and the other way round. */
export const EDITS = {
  'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\nNINE\n',
  'b.txt': null,
  'run.sh': 'run',
  'deep/er/new.sh': { x: 'new' },
  dir: 'a file now',
  file: null,
  'file/inside': 'a folder now',
};

export const AFTER: Files = {
  'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\nNINE\n',
  'deep/er/new.sh': { x: 'new' },
  dir: 'a file now',
  'file/inside': 'a folder now',
  link: { to: 'a.txt' },
  'run.sh': 'run',
};

/** By kind, the names in a note, or their number. */
export const short = (notes: readonly SnapshotNote[]): Record<string, readonly string[] | number> =>
  Object.fromEntries(
    notes.map(({ kind, names, count }) => [kind, names.length > 0 ? names : count]),
  );
