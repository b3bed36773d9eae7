/** Makes what a command of a workflow has written part of the work: the same work, with these files as the command left them. */
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import type { CommandRequest } from '../engine/performer.ts';
import { commitNote } from '../execution/commit-note.ts';
import { workspacePortsFor } from '../execution/environments/environment.ts';
import type { PathState } from '../host/files/tree/read-tree.ts';
import { readPaths } from '../host/files/tree/read-tree.ts';
import { placeFile, removeInside, stageFile } from '../host/files/tree/write-tree.ts';
import type { WorkPoint, WorkSize } from '../protocol/contracts/workflow-contract.ts';
import { commitWorkspace, discardWorkspace, findLast } from '../workspace/commit-work.ts';
import { createWorkspace } from '../workspace/create-workspace.ts';
import { TREE_LIMITS } from '../workspace/tree-limits.ts';
import { workspacePaths } from '../workspace/workspace.ts';
import type { GateSubject } from './gate-environment.ts';
import type { GatePorts } from './perform-gate.ts';

type KeptFiles = {
  /** The work that the command ran on. */
  readonly subject: GateSubject;
  /** The tree that it ran in, and the paths that it changed there. */
  readonly root: string;
  readonly paths: readonly string[];
};

/** Resolves with the new state of the work, in a tree of the workflow's own run. It can be repeated without harm. */
export async function keepWrites(
  request: CommandRequest<'gate'>,
  { subject, root, paths }: KeptFiles,
  ports: GatePorts,
): Promise<WorkPoint & WorkSize> {
  const { run, input } = request;
  const git = workspacePortsFor(ports, request);
  const home = ports.stateDir;
  const last = await findLast(home, run);
  const attempt = (last?.attempt ?? 0) + 1;
  const workspace = await createWorkspace(
    {
      ...{ path: input.project, home, run, attempt },
      ...(subject.kind === 'committed'
        ? { findEarlierWork: () => Promise.resolve({ ...subject, isRequired: true as const }) }
        : {}),
    },
    git,
  );
  const staged = join(workspacePaths(workspace.id).record, '..', 'staged');
  try {
    await readPaths(root, paths, TREE_LIMITS.fileBytesMax, (path, state) =>
      copyState(workspace.work, path, state, staged),
    );
    const { note } = commitNote(workspace.id, await commitWorkspace(workspace.id, git));
    const { tree, commit, content, files, added, deleted, names } = note;
    return { run, tree, commit, content, files, added, deleted, names };
  } finally {
    workspace.release();
    // The work is on its ref.
    await discardWorkspace(workspace.id, git, { discardUnstorable: true });
  }
}

async function copyState(
  work: string,
  path: string,
  state: PathState,
  staged: string,
): Promise<void> {
  if (state.kind === 'folder') return; // its files have paths of their own
  await removeInside(work, path);
  if (state.kind === 'absent') return;
  if (state.kind !== 'file' && state.kind !== 'symlink') throw notStorable(path, state.kind);
  await stageFile(staged, state);
  if (!(await placeFile(staged, work, path))) throw notStorable(path, 'blocked by another file');
}

function notStorable(path: string, why: string): Refusal {
  return new Refusal({
    code: 'workspace.unsupported',
    message: `What the command wrote to ${path} cannot become part of the work: ${why.replaceAll('-', ' ')}.`,
    hint: 'Let the command write plain files, or remove the path from allowed_writes.',
  });
}
