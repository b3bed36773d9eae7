/** Commits the work of a task on its branch, and merges the branch or opens a pull request if the person wants it. */
import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { Refusal } from '../../../base/errors.ts';
import { plural } from '../../../base/text.ts';
import type { Client } from '../../../client/client.ts';
import type { TaskCompletionDocument } from '../../../public-json/task-documents.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import type { Confirm } from '../../ask/confirm.ts';
import { requireConfirm, requireYes } from '../../ask/confirm.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { readApproverSecret } from '../../ask/decide-change.ts';
import { LAST_RUN, RUN_ARGUMENT, findRunToChange } from '../../runs/find-runs.ts';
import { formatCompletion } from '../../format/task-preview.ts';
import { checkedOutBranch, isMerged, mergeBranch } from '../../apply/merge-branch.ts';
import { ownSettings } from '../../input/own-settings.ts';
import { openStackedPullRequests } from '../../tasks/open-stacked-pull-requests.ts';
import { mayOpenPullRequest, openTaskPullRequest } from '../../tasks/open-task-pull-request.ts';
import { TASK_PROJECT_OPTION } from '../../tasks/project-of-task.ts';
import type { PlannedCompletion } from '../../tasks/plan-completion.ts';
import { planCompletion } from '../../tasks/plan-completion.ts';
import { commitWithCare } from '../../tasks/commit-with-care.ts';
import { mayMerge } from '../../tasks/merge-with-care.ts';
import { printJson } from '../../json/print-json.ts';
import { awaitCommit, branchTip } from '../../tasks/task-work.ts';

type Options = {
  readonly project?: string;
  readonly branch?: string;
  readonly message?: string;
  readonly merge: boolean;
  readonly pullRequest: boolean;
  readonly draft: boolean;
  readonly stacked: boolean;
  readonly as?: string;
  readonly secretStdin: boolean;
  readonly includeExecuting: boolean;
  readonly includeSettings: boolean;
  readonly includeTests: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
};

export function addCompleteTask(
  program: Command,
  context: CliContext,
  finish: CommandEnding,
): void {
  program
    .command('complete-task')
    .description('Commit the work of a task on its branch, and merge it or open a pull request')
    .argument('[run]', RUN_ARGUMENT, LAST_RUN)
    .option(...TASK_PROJECT_OPTION)
    .option('-b, --branch <name>', 'the branch of a task that has none yet')
    .option('-m, --message <text>', 'the first line of the commit (default: that of the task)')
    .option('--merge', 'then merge the branch into the one that is checked out', false)
    .option('--pull-request', 'then push the branch and open a pull request with gh', false)
    .option('--draft', 'with --pull-request: open it as a draft', false)
    .option('--stacked', 'with --pull-request: one for each phase of a feature', false)
    .option('--as <name>', 'the approver who approves the commit; their secret is asked for')
    .option('--secret-stdin', 'read the secret of the approver from standard input', false)
    .option('--include-executing', 'with --yes: include files that run by themselves', false)
    .option('--include-settings', 'with --yes: include changes to .supervisor', false)
    .option('--include-tests', 'with --yes: include tests that were there before', false)
    .option('--dry-run', 'only show the preview', false)
    .option('-y, --yes', 'ask nothing: commit, and do what the options name', false)
    .option('--json', 'print JSON; needs --yes or --dry-run', false)
    .addHelpText('after', HELP)
    .action(async (reference: string, options: Options) =>
      finish(await completeTask(context, reference, options)),
    );
}

const HELP = `
The preview shows the branch, the message of the commit, and the files. Then each step has a question of its own, and
the default answer is no. If your workflow waits for its commit, yes approves it. A commit of high or critical risk
needs a named approver: --as NAME. Files that run by themselves, settings and tests have a question of their own.
Your own git merges, with your settings and hooks. If a merge fails, it is taken back, and the work stays on its branch.

Examples:
  supervisor complete-task
  supervisor complete-task 3f2a --merge
  supervisor complete-task 3f2a --pull-request --draft --yes
  supervisor complete-task 3f2a --pull-request --stacked`;

async function completeTask(
  context: CliContext,
  reference: string,
  options: Options,
): Promise<number> {
  refuseContradictions(options);
  const confirm = requireConfirm(context, 'complete-task', options);
  await using connection = await connectOwner(context);
  const { client } = connection;
  const id = await findRunToChange(context, client, reference);
  const plan = await planCompletion(context, client, id, options);
  const { root, branch, work } = plan;
  if (options.as !== undefined && work.kind !== 'asks') throw nothingToApprove(id);
  const target = await checkedOutBranch(context, root);
  const isShown = options.dryRun || (await ownSettings(context)).git.dryRunPreview;
  if (!options.json && isShown)
    context.out(formatCompletion(context, { ...plan, ...options, target }));
  if (options.dryRun) {
    if (options.json) printJson(context, toDocument(plan, { state: 'preview' }));
    return EXIT.ok;
  }
  const isNew = work.kind !== 'branch';
  const what = `Commit ${plural(plan.diff.files.length, 'file')} on ${branch}?`;
  if (isNew) await requireYes(confirm, what, 'Nothing was changed.');
  if (isNew) await makeCommit(context, client, plan, options);
  const tip = (await branchTip(context, root, branch)) ?? '';
  if (isNew) say(context, options, 'committed', `${tip.slice(0, 12)} on ${branch}`);
  const merged = await mergeIfWanted(context, client, plan, { ...options, tip, target, confirm });
  const opened = await openIfWanted(context, client, plan, {
    ...{ ...options, confirm, isMerged: merged },
  });
  const isChanged = isNew || merged || opened.length > 0;
  const isThere = await isMerged(context, root, tip);
  if (options.json)
    printJson(
      context,
      toDocument(plan, {
        state: isChanged ? 'done' : 'unchanged',
        commit: tip,
        mergedInto: isThere ? (target ?? null) : null,
        pullRequest: opened.at(-1) ?? null,
        pullRequests: opened,
      }),
    );
  else if (!isChanged)
    context.out(`Nothing to do: ${describeBranch(branch, isThere ? target : undefined)}.\n`);
  return EXIT.ok;
}

function refuseContradictions(options: Options): void {
  const { merge, pullRequest, draft, stacked, message } = options;
  const wrong =
    merge && pullRequest
      ? ['--merge and --pull-request cannot be used together.', 'Choose one of them.']
      : draft && !pullRequest
        ? ['--draft is about a pull request.', 'Add --pull-request.']
        : stacked && !pullRequest
          ? ['--stacked is about pull requests.', 'Add --pull-request.']
          : message?.trim() === ''
            ? ['The message after -m is empty.', 'Write a message, or leave out -m.']
            : undefined;
  if (wrong === undefined) return;
  const [problem = '', hint = ''] = wrong;
  throw new Refusal({ code: 'usage.invalid', message: problem, hint });
}

function nothingToApprove(id: string): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `--as cannot be used here: task ${id} does not wait for an approval of its commit.`,
    hint: 'Leave out --as.',
  });
}

/** Approves the commit of a workflow, or commits the work of a run that has ended. */
async function makeCommit(
  context: CliContext,
  client: Client,
  { view: { id }, work, branch }: PlannedCompletion,
  options: Options,
): Promise<void> {
  const { message, as } = options;
  if (work.kind !== 'asks') {
    const { includeExecuting, includeSettings, includeTests } = options;
    const include = { includeExecuting, includeSettings, includeTests };
    const request = { branch, ...include, ...defined({ message }) };
    await commitWithCare(context, client, id, request, options);
    return;
  }
  const { work: shown } = work.approval;
  const secret = await readApproverSecret(context, options);
  const who = defined({ as, secret });
  await client.decide(id, { decision: 'approve', channel: 'terminal', work: shown, ...who });
  await awaitCommit(client, id, work.lastSeq);
}

type MergeOptions = Pick<
  Options,
  | ('merge' | 'pullRequest' | 'yes' | 'json')
  | ('includeExecuting' | 'includeSettings' | 'includeTests')
> & {
  readonly tip: string;
  readonly target: string | undefined;
  readonly confirm: Confirm;
};

/** Without an option, a person at a terminal is asked. */
async function mergeIfWanted(
  context: CliContext,
  client: Client,
  { project, root, branch, view, diff }: PlannedCompletion,
  options: MergeOptions,
): Promise<boolean> {
  const { id } = view;
  const { merge, pullRequest, yes, json, tip, target, confirm } = options;
  const isOffered = merge || (!yes && !pullRequest && target !== undefined);
  if (!isOffered || (await isMerged(context, root, tip))) return false;
  const question = `Merge ${branch} into ${target ?? 'the checkout'}?`;
  if (!(await confirm(question, onBranch(branch)))) return false;
  if (!(await mayMerge(context, view, diff, options))) return false;
  const made = await mergeBranch(context, root, branch);
  // What is said of a feature that spans projects names the one that has it now.
  const where = project === view.project ? '' : ` in ${project}`;
  await client.moved(id, { kind: 'merged', branch, into: `${target ?? ''}${where}`, made });
  say(context, { json }, 'merged', `into ${target ?? ''} (${made.slice(0, 12)})`);
  return true;
}

type OpenOptions = Pick<Options, 'merge' | 'pullRequest' | 'draft' | 'stacked' | 'yes' | 'json'> & {
  readonly confirm: Confirm;
  readonly isMerged: boolean;
};

/** Resolves with the addresses of the pull requests that were opened now. */
async function openIfWanted(
  context: CliContext,
  client: Client,
  { view: { id }, project, root, branch, diff, work }: PlannedCompletion,
  { merge, pullRequest, draft, stacked, yes, json, confirm, isMerged: isDone }: OpenOptions,
): Promise<readonly string[]> {
  const hasOne = work.kind === 'branch' && work.pullRequest !== null;
  const isOffered =
    pullRequest ||
    (!yes && !merge && !isDone && !hasOne && (await mayOpenPullRequest(context, root)));
  const question = `Push ${branch} and open a pull request?`;
  if (!isOffered || !(await confirm(question, onBranch(branch)))) return [];
  const request = { project, root, run: id, branch, draft, diff };
  const urls = stacked
    ? await openStackedPullRequests(context, client, request)
    : [await openTaskPullRequest(context, request)];
  for (const url of urls) say(context, { json }, 'opened', url);
  return urls;
}

function say(
  context: CliContext,
  { json }: Pick<Options, 'json'>,
  word: string,
  text: string,
): void {
  if (!json) context.out(`${paint(context, 'green', word)} ${printable(text)}\n`);
}

/** The answer to a question about a step that the person can do without. */
function onBranch(branch: string): string {
  return `The work stays on the branch ${branch}.`;
}

function describeBranch(branch: string, mergedInto: string | undefined): string {
  return mergedInto === undefined
    ? `the work is on the branch ${branch}`
    : `${mergedInto} has the work of ${branch}`;
}

type Done = {
  readonly state: TaskCompletionDocument['state'];
  readonly commit?: string;
  readonly mergedInto?: string | null;
  readonly pullRequest?: string | null;
  readonly pullRequests?: readonly string[];
};

function toDocument(
  { view, branch, message, diff, work }: PlannedCompletion,
  { state, commit, mergedInto = null, pullRequest = null, pullRequests = [] }: Done,
): TaskCompletionDocument {
  const [tip, url] = work.kind === 'branch' ? [work.tip, work.pullRequest] : [null, null];
  return {
    schema: 'supervisor.task-completion/1',
    run_id: view.id,
    state,
    branch,
    commit: commit ?? tip,
    message,
    files: diff.files,
    merged_into: mergedInto,
    pull_request: pullRequest ?? url,
    pull_requests: [...pullRequests],
  };
}
