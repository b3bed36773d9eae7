/** Decides what complete-task would commit: on which branch, with which message. Changes nothing. */
import { Refusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { WorkDiff } from '../../protocol/api.ts';
import { describeApplied } from '../../protocol/views/applied-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { CliContext } from '../cli-context.ts';
import { requireRoot } from '../apply/commit-applied.ts';
import { projectOfTask } from './project-of-task.ts';
import { chooseBranch } from './task-branch.ts';
import type { TaskWork } from './task-work.ts';
import { findTaskWork } from './task-work.ts';
import { userGit } from '../apply/user-git.ts';

export type PlannedCompletion = {
  readonly view: RunView;
  /** The path of the project, and the root of its repository. */
  readonly project: string;
  readonly root: string;
  readonly work: Extract<TaskWork, { kind: 'asks' | 'branch' | 'kept' }>;
  readonly branch: string;
  readonly message: string;
  readonly diff: WorkDiff;
};

/** What the person wants for a task whose commit is not decided yet. */
export type CompletionWishes = {
  /** Which of the projects of a feature. */
  readonly project?: string;
  readonly branch?: string;
  readonly message?: string;
};

/** Refuses a task that has not come to its commit, has no work, or is in the files already. */
export async function planCompletion(
  context: CliContext,
  client: Client,
  id: string,
  options: CompletionWishes,
): Promise<PlannedCompletion> {
  const view = await client.run(id);
  const project = await projectOfTask(context, client, view, options.project);
  const root = await requireRoot(context, project);
  const work = await findTaskWork(context, client, view, project);
  if (work.kind === 'busy') throw notReady(id, work.status);
  if (work.kind === 'files')
    throw refusal(
      `The files of the project already have the work of task ${id}: ${describeApplied(work.applied, context.clock.now())}.`,
      work.applied.commit === null
        ? `Commit it with: supervisor apply --commit ${id}`
        : `To take it out again: supervisor rollback ${id}`,
    );
  const isOwn = project === view.project;
  const diff = await client.diff(id, isOwn ? undefined : project);
  if (work.kind === 'kept' && !isOwn) throw noBranch(id, project);
  const fixed = { view, project, root, diff };
  if (work.kind === 'kept') {
    if (diff.files.length === 0)
      throw refusal(
        `The task ${id} changed no file, so there is nothing to commit.`,
        `See why with: supervisor why ${id}`,
      );
    const branch = await chooseBranch(context, view, options.branch);
    const { message } = await client.applyDetails(id, options.message);
    return { ...fixed, work, branch, message };
  }
  refuseFixed(id, options);
  if (work.kind === 'branch') {
    const { branch, tip } = work;
    const { out } = await userGit(context, root, ['log', '-1', '--format=%B', tip]);
    return { ...fixed, work, branch, message: out.trim() };
  }
  const { branch = null, message = '' } = work.approval.commit ?? {};
  if (branch === null)
    throw refusal(
      'Your settings allow no branches (git.auto_branch: false), so the workflow makes no commit.',
      `Stop it with: supervisor stop ${id}. Then take the work with: supervisor apply --commit ${id}`,
    );
  return { ...fixed, work, branch, message: message.replaceAll('${run_id}', id) };
}

/** The workflow has decided these. */
function refuseFixed(id: string, { branch, message }: CompletionWishes): void {
  const option = branch === undefined ? (message === undefined ? null : '-m') : '--branch';
  if (option === null) return;
  throw new Refusal({
    code: 'usage.invalid',
    message: `${option} cannot be used here: the commit of task ${id} has its branch and its message.`,
    hint: `Leave out ${option}.`,
  });
}

function notReady(id: string, status: string): Refusal {
  return new Refusal({
    code: 'run.not-ended',
    message: `The task ${id} has not come to its commit: it is ${status.replaceAll('_', ' ')}.`,
    hint: `See what it does with: supervisor status ${id}. To end it: supervisor stop ${id}`,
  });
}

/** An apply knows only the project of the run, so it would commit the work of that one. */
function noBranch(id: string, project: string): Refusal {
  return refusal(
    `The branch with the work of task ${id} in ${project} is gone. Nothing was committed.`,
    `Make it again there with: git branch NAME COMMIT. What has landed has its commits: supervisor merges ${id}`,
  );
}

function refusal(message: string, hint: string): Refusal {
  return new Refusal({ code: 'workspace.not-committable', message, hint });
}
