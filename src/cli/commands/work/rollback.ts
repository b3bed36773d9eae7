/** Takes the work of a task out of the user's files or branch again, after a preview and a question. */
import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { plural } from '../../../base/text.ts';
import type { Client } from '../../../client/client.ts';
import type { MovedRequest } from '../../../protocol/api.ts';
import type { RollbackDocument } from '../../../public-json/task-documents.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { requireConfirm, requireYes } from '../../ask/confirm.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { LAST_RUN, RUN_ARGUMENT, findRunToChange } from '../../runs/find-runs.ts';
import { requireNothingUnderWay, runOrTakeBack } from '../../apply/merge-branch.ts';
import type { Rollback } from '../../apply/plan-rollback.ts';
import { planPhaseRollback } from '../../apply/plan-phase-rollback.ts';
import { planRollback } from '../../apply/plan-rollback.ts';
import { printJson } from '../../json/print-json.ts';
import { TASK_PROJECT_OPTION, projectOfTask } from '../../tasks/project-of-task.ts';
import { userGit } from '../../apply/user-git.ts';

type Options = {
  readonly project?: string;
  readonly phase?: string;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
};

export function addRollback(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('rollback')
    .description('Take the work of a task out of your branch or your files; it stays on its ref')
    .argument('[run]', RUN_ARGUMENT, LAST_RUN)
    .option('--phase <id>', 'only this finished phase of a feature')
    .option(...TASK_PROJECT_OPTION)
    .option('--dry-run', 'only show what would be undone', false)
    .option('-y, --yes', 'do it without a question', false)
    .option('--json', 'print JSON; needs --yes or --dry-run', false)
    .addHelpText('after', HELP)
    .action(async (reference: string, options: Options) =>
      finish(await rollBack(context, reference, options)),
    );
}

const HELP = `
Files that were applied and not committed are restored, as apply --undo does.
Commits in the branch that is checked out are reverted by your own git, with new commits.
A branch that has only commits of the task, and is not merged, is deleted.
A phase of a feature is reverted as well, or taken off the end of its branch. Later phases have to go first.
If you have changed the same lines since, nothing is done. The work stays on its ref, for diff and apply.

Examples:
  supervisor rollback 3f2a
  supervisor rollback 3f2a --phase P1T5-PH2`;

async function rollBack(context: CliContext, reference: string, options: Options): Promise<number> {
  const confirm = requireConfirm(context, 'rollback', options);
  await using connection = await connectOwner(context);
  const { client } = connection;
  const id = await findRunToChange(context, client, reference);
  const view = await client.run(id);
  const project = await projectOfTask(context, client, view, options.project);
  const plan =
    options.phase === undefined
      ? await planRollback(context, client, view, project)
      : await planPhaseRollback(context, client, { ...view, project }, options.phase);
  const { json } = options;
  if (!json) context.out(describePlan(context, id, plan));
  if (options.dryRun) {
    if (json) printJson(context, toDocument(id, plan, 'preview', []));
    return EXIT.ok;
  }
  await requireYes(confirm, questionOf(plan), 'Nothing was changed.');
  const other = project === view.project ? undefined : project;
  const record: RecordRollback = async (how, commits, phase) => {
    const where = defined({ phase, project: other });
    await client.moved(id, { kind: 'rolled-back', how, commits: [...commits], ...where });
  };
  const made = await execute(context, client, id, plan, record);
  if (json) printJson(context, toDocument(id, plan, 'done', made));
  else context.out(describeDone(context, id, plan, made));
  return EXIT.ok;
}

type RecordRollback = (
  how: Extract<MovedRequest, { kind: 'rolled-back' }>['how'],
  commits: readonly string[],
  phase?: string,
) => Promise<void>;

/** Resolves with the commits that revert others. */
async function execute(
  context: CliContext,
  client: Client,
  id: string,
  plan: Rollback,
  record: RecordRollback,
): Promise<readonly string[]> {
  switch (plan.kind) {
    case 'restore-files':
      await client.undo(id);
      return [];
    case 'revert-commits':
      return revert(context, id, plan, record);
    case 'shorten-branch': {
      const { root, branch, tip, to, commits, phase } = plan;
      await runOrTakeBack(context, root, ['update-ref', `refs/heads/${branch}`, to, tip], {
        abort: ['status', '--porcelain'],
        failed: (why) => `The branch ${branch} was not changed: ${why}`,
        hint: `Look at it with: git log ${branch}`,
      });
      await record('branch-shortened', commits, phase);
      return [];
    }
    case 'delete-branch': {
      const { root, branch, tip } = plan;
      // The expected commit keeps a branch that has moved meanwhile.
      await runOrTakeBack(context, root, ['update-ref', '-d', `refs/heads/${branch}`, tip], {
        abort: ['status', '--porcelain'],
        failed: (why) => `The branch ${branch} was not deleted: ${why}`,
        hint: `Delete it with: git branch -D ${branch}`,
      });
      await record('branch-deleted', [tip]);
      return [];
    }
  }
}

async function revert(
  context: CliContext,
  id: string,
  { root, commits, phase }: Extract<Rollback, { kind: 'revert-commits' }>,
  record: RecordRollback,
): Promise<readonly string[]> {
  await requireNothingUnderWay(context, root);
  const { out: before } = await userGit(context, root, ['rev-parse', 'HEAD']);
  await runOrTakeBack(context, root, ['revert', '--no-edit', ...commits], {
    abort: ['revert', '--abort'],
    failed: (why) => `The work of task ${id} could not be reverted: ${why} Nothing was changed.`,
    hint: `Commit or stash your own changes, or revert it yourself: git revert ${commits.map(short).join(' ')}`,
  });
  await record('reverted', commits, phase);
  const { out } = await userGit(context, root, ['rev-list', `${before.trim()}..HEAD`]);
  return out.split('\n').filter(Boolean);
}

function questionOf(plan: Rollback): string {
  switch (plan.kind) {
    case 'restore-files':
      return `Restore ${plural(plan.files, 'file')}?`;
    case 'revert-commits':
      return `Revert ${plural(plan.commits.length, 'commit')} on ${plan.branch ?? 'the checkout'}?`;
    case 'shorten-branch':
      return `Take ${plural(plan.commits.length, 'commit')} off ${plan.branch}?`;
    case 'delete-branch':
      return `Delete the branch ${plan.branch}?`;
  }
}

const FILES_SHOWN_MAX = 20;

function describePlan(context: CliContext, id: string, plan: Rollback): string {
  switch (plan.kind) {
    case 'restore-files':
      return `The work of task ${id} is applied to ${plural(plan.files, 'file')} and not committed. They become as they were before.\n`;
    case 'revert-commits': {
      const { branch, commits, files } = plan;
      const shown = files.slice(0, FILES_SHOWN_MAX).map((path) => `  ${printable(path)}\n`);
      const left = files.length - shown.length;
      const more = left > 0 ? `  and ${plural(left, 'more file')}\n` : '';
      return `${branch ?? 'The checkout'} has ${plural(commits.length, 'commit')} of task ${id}: ${commits.map(short).join(', ')}. A new commit for each reverts ${plural(files.length, 'file')}:\n${shown.join('')}${more}`;
    }
    case 'shorten-branch': {
      const { branch, commits, to, phase } = plan;
      return `The branch ${paint(context, 'cyan', branch)} ends with ${plural(commits.length, 'commit')} of the phase ${phase}: ${commits.map(short).join(', ')}. It goes back to ${short(to)}. The work of its components stays on their refs.\n`;
    }
    case 'delete-branch': {
      const { branch, tip, pullRequest } = plan;
      const open =
        pullRequest === null
          ? ''
          : `The pull request ${pullRequest} and the branch on the remote stay: close them with gh pr close.\n`;
      return `Only the branch ${paint(context, 'cyan', branch)} (${short(tip)}) has the work of task ${id}. It is deleted, and the work stays on its ref.\n${open}`;
    }
  }
}

function describeDone(
  context: CliContext,
  id: string,
  plan: Rollback,
  made: readonly string[],
): string {
  const kept = `The work is kept: supervisor diff ${id}\n`;
  const done = (word: string, text: string): string =>
    `${paint(context, 'green', word)} ${text}\n${paint(context, 'dim', kept)}`;
  switch (plan.kind) {
    case 'restore-files':
      return done('restored', plural(plan.files, 'file'));
    case 'revert-commits':
      return done(
        'reverted',
        `${plan.commits.map(short).join(', ')} by ${made.map(short).join(', ')}`,
      );
    case 'shorten-branch':
      return done('moved', `the branch ${plan.branch} to ${short(plan.to)}`);
    case 'delete-branch':
      return done('deleted', `the branch ${plan.branch}`);
  }
}

function toDocument(
  id: string,
  plan: Rollback,
  state: RollbackDocument['state'],
  made: readonly string[],
): RollbackDocument {
  const common = { schema: 'supervisor.rollback/1', run_id: id, state, action: plan.kind } as const;
  switch (plan.kind) {
    case 'restore-files':
      return { ...common, files_changed: plan.files, branch: null, commits: [], reverted_by: [] };
    case 'revert-commits':
      return {
        ...common,
        files_changed: plan.files.length,
        branch: plan.branch ?? null,
        commits: [...plan.commits],
        reverted_by: [...made],
      };
    case 'shorten-branch':
      return {
        ...common,
        ...{ files_changed: 0, branch: plan.branch, commits: [...plan.commits], reverted_by: [] },
      };
    case 'delete-branch':
      return {
        ...common,
        ...{ files_changed: 0, branch: plan.branch, commits: [plan.tip], reverted_by: [] },
      };
  }
}

function short(commit: string): string {
  return commit.slice(0, 12);
}
