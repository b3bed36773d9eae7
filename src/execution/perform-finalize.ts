/**
 * What is still to be done when a run has come to its end, however it did: artifacts are taken over, and
 * work that an owner's death left unkept is kept. All of it can be done again without harm, since an
 * owner may die here as well.
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
  /** Where our own state lies. */
  readonly stateDir: string;
  /** The user's own folder. */
  readonly userDir: string;
  readonly git: string;
  readonly tagOf: (run: string, key: string) => string;
  readonly keptOf: (run: CommandRequest['run'], attempt: number) => Promise<CommittedAttempt>;
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
    const kept = await collectArtifacts(ports.stateDir, request.run, over.signal).finally(() =>
      done.abort(),
    );
    await keepWhatWasLost(request, input, context, {
      keptOf: ports.keptOf,
      treeAt: (project, tree) => treeAt(request, project, tree, ports),
    });
    const files = kept.flatMap((one) => one.files);
    return {
      kind: 'finalized',
      artifacts: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      refused: kept.reduce((sum, { refused }) => sum + refused.length, 0),
    };
  } catch (error) {
    // A tree that can't be kept or a full disk must not take the run's outcome with it.
    if (error instanceof Refusal || errnoCode(error) === 'ENOSPC' || errnoCode(error) === 'EDQUOT')
      return { kind: 'unfinished', message: describeError(error) };
    throw error; // anything else is a defect
  }
}

export type LostWorkPorts = Pick<FinalizePorts, 'keptOf'> & {
  /** The tree of this run in that project; undefined where there can be none. */
  readonly treeAt: (
    project: string,
    tree: number,
  ) => Promise<{ readonly place: WorkspaceId; readonly hands: TreeFileOps } | undefined>;
};

/** An attempt whose owner died has recorded nothing about its tree. */
export async function keepWhatWasLost(
  { run }: Pick<CommandRequest, 'run'>,
  { project, attempt, tree = FIRST_TREE }: Omit<FinalizeInput, 'outcome'>,
  context: Pick<CommandContext<'finalize'>, 'note'>,
  { keptOf, treeAt }: LostWorkPorts,
): Promise<void> {
  if (attempt === 0 || (await keptOf(run, attempt)).kind !== 'in-project') return;
  const at = await treeAt(project, tree);
  if (at === undefined || (await at.hands.record()) === undefined) return; // it worked in the project itself
  await context.note(commitNote(at.place, await commitTree(at.place, at.hands)).note);
}

async function treeAt(
  { run, key }: CommandRequest,
  project: string,
  tree: number,
  { clock, git, tagOf, stateDir, userDir }: FinalizePorts,
): ReturnType<LostWorkPorts['treeAt']> {
  const ports: WorkspacePorts = { git, clock, tag: tagOf(run, key), userHome: userDir };
  const root = await rootOf(project, stateDir, ports);
  if (root === undefined) return undefined;
  const place = { home: stateDir, root, run, attempt: tree };
  return { place, hands: realTreeFileOps(place, ports) };
}

/** A folder that is refused as a project never had a tree of Supervisor. */
async function rootOf(
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
