/** Takes the work of a run into the project, with a commit if asked, and back out again. */
import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { shellWord } from '../../../base/shell-words.ts';
import { isRefusal, Refusal } from '../../../base/errors.ts';
import { formatTime } from '../../../base/format-time.ts';
import type { Client } from '../../../client/client.ts';
import type { Applied, ApplyRequest } from '../../../protocol/api.ts';
import { describeAccepted } from '../../../protocol/words/accepted-gate.ts';
import type { AppliedView } from '../../../protocol/views/applied-view.ts';
import { describeApplied, isInPlace, wasThere } from '../../../protocol/views/applied-view.ts';
import type { RunView } from '../../../protocol/views/run-view.ts';
import { adviceAboutBranch, adviceAfterConflict } from '../../apply/apply-advice.ts';
import { applyOrAsk } from '../../apply/apply-or-ask.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import type { MadeCommit } from '../../apply/commit-applied.ts';
import {
  findRunCommit,
  recordCommit,
  requireCommittable,
  requireUnmixed,
} from '../../apply/commit-applied.ts';
import { commitNow, describeCommit } from '../../apply/commit-now.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { LAST_RUN, RUN_ARGUMENT, findRunToChange } from '../../runs/find-runs.ts';
import { formatApplied, undoHint } from '../../format/applied.ts';
import { applyDocument } from '../../../public-json/apply-result.ts';
import { printJson } from '../../json/print-json.ts';
import type { KeyOption } from '../../options.ts';
import { KEY_OPTION } from '../../options.ts';
import { isOtherProject } from '../../input/project-path.ts';
import { undoApplied } from '../../apply/undo-applied.ts';
import { hintUnapplied } from '../../apply/unapplied-work.ts';

type ApplyOptions = KeyOption & {
  readonly branch?: string;
  readonly commit: boolean;
  readonly message?: string;
  readonly undo: boolean;
  readonly includeExecuting: boolean;
  readonly includeSettings: boolean;
  readonly includeTests: boolean;
  readonly evenIfFailed: boolean;
  readonly json: boolean;
};

export function addApply(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('apply')
    .description('Apply the work of a run to the project: all of it, or nothing')
    .argument(
      '[run]',
      `${RUN_ARGUMENT} (default: "${LAST_RUN}"; with --undo, the run that was applied last)`,
    )
    .option('-b, --branch <name>', 'commit to a new branch instead, and change no file')
    .option('--commit', 'then commit the applied files, and nothing else', false)
    .option('-m, --message <text>', 'the first line of the commit (default: that of the task)')
    .option('--undo', 'restore the files that the apply changed', false)
    .option('--include-executing', 'include files that run by themselves, such as hooks', false)
    .option('--include-settings', 'include changes to .supervisor', false)
    .option('--include-tests', 'include tests that were changed, deleted or skipped', false)
    .option('--even-if-failed', 'apply the work of a run that did not succeed', false)
    .option(...KEY_OPTION)
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (reference: string | undefined, options: ApplyOptions) => {
      refuseContradictions(options);
      await using connection = await connectOwner(context);
      const { client } = connection;
      if (options.undo) await undoApplied(context, client, reference, options);
      else {
        const id = await findRunToChange(context, client, reference ?? LAST_RUN);
        await (options.commit ? applyAndCommit : apply)(context, client, id, options);
      }
      finish(EXIT.ok);
    });
}

const HELP = `
The commit is made by your own git: your hooks run, and files that you changed or staged yourself stay out of it.

Examples:
  supervisor apply
  supervisor apply 3f2a --commit -m "Fix the parser"
  supervisor apply --undo`;

function refuseContradictions(options: ApplyOptions): void {
  const { branch, commit, message, undo: undoes } = options;
  const includes =
    options.includeExecuting ||
    options.includeSettings ||
    options.includeTests ||
    options.evenIfFailed;
  const wrong =
    undoes && (branch !== undefined || commit || message !== undefined || includes)
      ? ['--undo takes no other option of apply.', 'Use --undo alone, with or without a run.']
      : commit && branch !== undefined
        ? ['--branch already makes a commit.', 'Use --branch or --commit, but not both.']
        : message !== undefined && !commit && branch === undefined
          ? ['-m is the message of a commit.', 'Add --commit or --branch.']
          : message?.trim() === ''
            ? ['The message after -m is empty.', 'Write a message, or leave out -m.']
            : undefined;
  if (wrong === undefined) return;
  const [problem = '', hint = ''] = wrong;
  throw new Refusal({ code: 'usage.invalid', message: problem, hint });
}

function toRequest(options: ApplyOptions): ApplyRequest {
  const { branch, message, includeExecuting, includeSettings, includeTests, evenIfFailed } =
    options;
  const include = { includeExecuting, includeSettings, includeTests, evenIfFailed };
  return { ...include, ...(branch === undefined ? {} : defined({ branch, message })) };
}

async function apply(
  context: CliContext,
  client: Client,
  id: string,
  options: ApplyOptions,
): Promise<void> {
  const { json, idempotencyKey: key } = options;
  const view = await client.run(id);
  const known = (await client.applyDetails(id)).applied;
  const request = toRequest(options);
  const applied = await applyOrAsk(context, client, id, request, { json, key }).catch((error) => {
    throw withAdvice(context, id, known, error, options);
  });
  if (json) printJson(context, applyDocument(view, applied));
  else if (applied.files > 0 || applied.branch !== null) {
    reportApplied(context, view, applied);
    if (known?.changed === true)
      context.out(
        `The files had changed after the apply ${formatTime(known.at, context.clock.now())}. They have the work again.\n`,
      );
    if (applied.branch === null) context.out(alsoOnBranch(known));
    context.out(undoHint(context, applied, isOtherProject(context, view.project) ? id : undefined));
  } else await reportNothingToDo(context, client, id);
}

/** The options of this command that the owner does not know, to be appended to a command. */
function sameOptions({
  branch,
  commit,
  message,
}: Pick<ApplyOptions, 'branch' | 'commit' | 'message'>): string {
  return [
    ...(branch === undefined ? [] : ['--branch', branch]),
    ...(commit ? ['--commit'] : []),
    ...(message === undefined ? [] : ['-m', message]),
  ]
    .map((word) => ` ${shellWord(word)}`)
    .join('');
}

/** Only this command knows where the work already is, and the name of the run. */
function withAdvice(
  context: CliContext,
  id: string,
  applied: AppliedView | null,
  error: unknown,
  options: ApplyOptions,
): unknown {
  const { branch } = options;
  // The hint of these ends with the command to type, which lacks what only this command knows.
  if (isRefusal(error, 'workspace.needs-approval') || isRefusal(error, 'workspace.run-failed')) {
    const asked = sameOptions(options);
    return new Refusal({ ...error.data, hint: `${error.data.hint ?? ''}${asked}` });
  }
  if (branch !== undefined && isRefusal(error, 'workspace.branch-exists'))
    return new Refusal({ ...error.data, ...adviceAboutBranch(id, applied, branch) });
  if (branch !== undefined || !isRefusal(error, 'workspace.conflict')) return error;
  const now = context.clock.now();
  const advice = adviceAfterConflict(id, applied, error.data.message, now);
  return new Refusal({ ...error.data, ...advice });
}

function reportApplied(context: CliContext, view: RunView, applied: Applied): void {
  const { outcome, project, accepted } = view;
  const proof =
    accepted.length > 0
      ? `this work is not verified: ${describeAccepted(accepted)}`
      : 'no gate has verified this work';
  if (outcome?.kind === 'unverified')
    context.err(`${paint(context, 'yellow', 'warning:')} ${printable(proof)}\n`);
  const elsewhere = isOtherProject(context, project) ? project : undefined;
  context.out(formatApplied(context, applied, elsewhere));
}

/** The run changed nothing, or the project already has everything. */
async function reportNothingToDo(context: CliContext, client: Client, id: string): Promise<void> {
  if ((await client.diff(id)).files.length === 0) {
    context.out(`Nothing to apply: run ${id} changed no file.\n`);
    return hintUnapplied(context, client, id);
  }
  const { applied } = await client.applyDetails(id);
  const isKnown = applied !== null && isInPlace(applied) && !wasThere(applied);
  const before = isKnown ? earlier(context, applied) : '';
  context.out(`Nothing to apply: the project already has the work of run ${id}${before}.\n`);
}

/** Empty: no branch that was made for it has the work. */
function alsoOnBranch(known: AppliedView | null): string {
  if (known?.kind !== 'branch' || !isInPlace(known)) return '';
  const branch = known.branch ?? '';
  return `The branch ${printable(branch)} has the same work. If you do not need it: git branch -D ${shellWord(branch)}\n`;
}

function earlier(context: CliContext, applied: AppliedView): string {
  return ` (${describeApplied(applied, context.clock.now())})`;
}

/**
 * Work that is already applied is only committed. If nothing is left to commit, the files decide: the user may have
 * taken the work out again with git, and then it is applied once more.
 */
async function applyAndCommit(
  context: CliContext,
  client: Client,
  id: string,
  options: ApplyOptions,
): Promise<void> {
  const view = await client.run(id);
  const { project } = view;
  const known = (await client.applyDetails(id, options.message)).applied; // refuses a wrong message early
  if (known !== null && isInPlace(known) && !wasThere(known)) {
    const root = await requireCommittable(context, project, []);
    const made = await commitEarlier(context, client, id, root, known, options.message);
    if (made !== undefined) return report(context, view, options.json, undefined, made);
  }
  const { files } = await client.diff(id);
  const paths = files.map(({ path }) => path);
  const root = await requireCommittable(context, project, paths);
  const { json, idempotencyKey: key } = options;
  const applied = await applyOrAsk(context, client, id, toRequest(options), { json, key }).catch(
    (error) => {
      throw withAdvice(context, id, known, error, options);
    },
  );
  if (paths.length === 0 && !json) return reportNothingToDo(context, client, id);
  if (applied.files === 0) return report(context, view, json, applied, undefined);
  if (!json) {
    reportApplied(context, view, applied);
    context.out(alsoOnBranch(known));
  }
  const made = await commitNow(context, client, id, root, options.message);
  report(context, view, json, applied, made);
}

async function commitEarlier(
  context: CliContext,
  client: Client,
  id: string,
  root: string,
  { kind, at, commit }: AppliedView,
  message: string | undefined,
): Promise<MadeCommit | undefined> {
  // A branch of its own does not keep the user from having the work here too, as without --commit.
  if (kind === 'branch' || commit !== null) return undefined;
  const found = await findRunCommit(context, root, { run: id, since: at });
  if (found === undefined) {
    await requireUnmixed(context, root, (await client.applyDetails(id)).files);
    return commitNow(context, client, id, root, message);
  }
  await recordCommit(client, id, found);
  return found;
}

function report(
  context: CliContext,
  view: RunView,
  json: boolean,
  applied: Applied | undefined,
  made: MadeCommit | undefined,
): void {
  if (json) printJson(context, applyDocument(view, applied, made));
  else context.out(describeCommit(context, view.id, made));
}
