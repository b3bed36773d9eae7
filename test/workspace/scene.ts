import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRefusal } from '../../src/base/errors.ts';
import type { ApplyPlan, ApplyRequest } from '../../src/workspace/apply.ts';
import { planApply } from '../../src/workspace/apply.ts';
import { keepWorkspace } from '../../src/workspace/keep.ts';
import type { Workspace } from '../../src/workspace/make.ts';
import type { Note } from '../../src/workspace/snapshot.ts';
import type { Bench, Files } from './bench.ts';
import { write } from './bench.ts';

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

/** Keeps the work and plans to apply it. */
export async function plan(
  b: Bench,
  ws: Workspace,
  more: Partial<ApplyRequest> = {},
): Promise<ApplyPlan> {
  const { commit } = await keepWorkspace(ws.place, b.ports);
  return planApply(ws.place, b.ports, { commit, ...more });
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

/** By kind, the names that a note has, or how many there are. */
export const short = (notes: readonly Note[]): Record<string, readonly string[] | number> =>
  Object.fromEntries(
    notes.map(({ kind, names, count }) => [kind, names.length > 0 ? names : count]),
  );
