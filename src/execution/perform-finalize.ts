/**
 * Finalizes a run, whatever its outcome: it collects artifacts, and commits work that was not committed
 * because the owner died. It can be repeated without harm, because the owner may die here too.
 */
import type { Clock } from '../base/clock.ts';
import { describeError, Refusal } from '../base/errors.ts';
import type { CommandContext, CommandRequest, Performer } from '../engine/performer.ts';
import { errnoCode } from '../host/files/errno.ts';
import { inspectProject } from '../workspace/project.ts';
import { commitTree } from '../workspace/commit-tree.ts';
import type { TreeFileOps } from '../workspace/tree-file-ops.ts';
import { realTreeFileOps } from '../workspace/tree-file-ops.ts';
import type { WorkspaceId, WorkspacePorts } from '../workspace/workspace.ts';
import { collectArtifacts, COLLECT_MS_MAX } from './collect-artifacts.ts';
import { commitNote } from './commit-note.ts';
import { FIRST_TREE } from './environments/run-workspace.ts';
import type { CommittedAttempt } from './committed-attempt.ts';
import type { FinalizeInput, FinalizeOutcome } from '../protocol/commands.ts';

export type FinalizePorts = {
  readonly clock: Clock;
  /** The folder of the owner's state. */
  readonly stateDir: string;
  /** The user's home folder. */
  readonly userDir: string;
  readonly git: string;
  readonly tagOf: (run: string, key: string) => string;
  readonly findCommit: (run: CommandRequest['run'], attempt: number) => Promise<CommittedAttempt>;
};

export function finalizePerformer(ports: FinalizePorts): Performer<'finalize'> {
  return {
    command: 'finalize',
    perform: (request, context) => performFinalize(request, context, ports),
  };
}

async function performFinalize(
  request: CommandRequest<'finalize'>,
  context: CommandContext<'finalize'>,
  ports: FinalizePorts,
): Promise<FinalizeOutcome> {
  const { input } = request;
  try {
    const over = new AbortController();
    const done = new AbortController();
    void ports.clock.sleep(COLLECT_MS_MAX, done.signal).then((slept) => slept && over.abort());
    const collected = await collectArtifacts(ports.stateDir, request.run, over.signal).finally(() =>
      done.abort(),
    );
    await commitUnrecordedWork(request, input, context, {
      findCommit: ports.findCommit,
      treeAt: (project, tree) => treeAt(request, project, tree, ports),
    });
    const files = collected.flatMap((one) => one.files);
    return {
      kind: 'finalized',
      artifacts: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      refused: collected.reduce((sum, { refused }) => sum + refused.length, 0),
    };
  } catch (error) {
    // The run keeps its outcome if its tree can't be committed or the disk is full.
    if (error instanceof Refusal || errnoCode(error) === 'ENOSPC' || errnoCode(error) === 'EDQUOT')
      return { kind: 'unfinished', message: describeError(error) };
    throw error; // anything else is a defect
  }
}

export type UnrecordedWorkPorts = Pick<FinalizePorts, 'findCommit'> & {
  /** The tree of this run in that project; undefined: there is none. */
  readonly treeAt: (
    project: string,
    tree: number,
  ) => Promise<{ readonly place: WorkspaceId; readonly fileOps: TreeFileOps } | undefined>;
};

/** Commits the tree of an attempt whose owner died before it recorded a commit. */
export async function commitUnrecordedWork(
  { run }: Pick<CommandRequest, 'run'>,
  { project, attempt, tree = FIRST_TREE }: Omit<FinalizeInput, 'outcome'>,
  context: Pick<CommandContext<'finalize'>, 'note'>,
  { findCommit, treeAt }: UnrecordedWorkPorts,
): Promise<void> {
  if (attempt === 0 || (await findCommit(run, attempt)).kind !== 'in-project') return;
  const at = await treeAt(project, tree);
  if (at === undefined || (await at.fileOps.record()) === undefined) return; // the agent worked in the project itself
  await context.note(commitNote(at.place, await commitTree(at.place, at.fileOps)).note);
}

async function treeAt(
  { run, key }: CommandRequest,
  project: string,
  tree: number,
  { clock, git, tagOf, stateDir, userDir }: FinalizePorts,
): ReturnType<UnrecordedWorkPorts['treeAt']> {
  const ports: WorkspacePorts = { git, clock, tag: tagOf(run, key), userHome: userDir };
  const root = await projectRoot(project, stateDir, ports);
  if (root === undefined) return undefined;
  const place = { home: stateDir, root, run, attempt: tree };
  return { place, fileOps: realTreeFileOps(place, ports) };
}

/** A folder that is refused as a project never had a tree of Supervisor. */
async function projectRoot(
  path: string,
  home: string,
  ports: WorkspacePorts,
): Promise<string | undefined> {
  try {
    return (await inspectProject(ports, { path, home })).root;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
