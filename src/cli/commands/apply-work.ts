/** Takes the work of a run into the project, with a commit if asked, and back out again. */
import type { Command } from 'commander';
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import { plural } from '../../base/text.ts';
import type { Client } from '../../client/client.ts';
import type { Applied, ApplyRequest } from '../../protocol/api.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import { describeApplied, isInPlace } from '../../protocol/views/applied-view.ts';
import type { CliContext } from '../cli-context.ts';
import { paint } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';
import type { MadeCommit } from '../commit-applied.ts';
import {
  commitFiles,
  findRunCommit,
  recordCommit,
  requireCommittable,
  requireUnmixed,
} from '../commit-applied.ts';
import { connectOwner } from '../connect-owner.ts';
import { EXIT } from '../exit-codes.ts';
import { LAST_RUN, RUN_ARGUMENT, findRunToChange } from '../find-runs.ts';
import { formatApplied } from '../format/applied.ts';
import { applyDocument, undoDocument } from '../../public-json/apply-result.ts';
import { printJson } from '../print-json.ts';
import type { KeyOption } from '../options.ts';
import { withKeyOption } from '../options.ts';
import { projectDir } from '../project-path.ts';
import { userGitLine } from '../user-git.ts';

type ApplyOptions = KeyOption & {
  readonly branch?: string;
  readonly commit: boolean;
  readonly message?: string;
  readonly undo: boolean;
  readonly includeExecuting: boolean;
  readonly includeSettings: boolean;
  readonly includeTests: boolean;
  readonly json: boolean;
};

/** Without a name, `--undo` looks for the last apply among so many runs. */
const RUNS_BACK_MAX = 1000;

export function addApply(program: Command, context: CliContext, finish: CommandEnding): void {
  withKeyOption(program.command('apply'))
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
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (reference: string | undefined, options: ApplyOptions) => {
      refuseContradictions(options);
      await using connection = await connectOwner(context);
      const { client } = connection;
      if (options.undo) await undo(context, client, reference, options);
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
  const includes = options.includeExecuting || options.includeSettings || options.includeTests;
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
  const { branch, message, includeExecuting, includeSettings, includeTests } = options;
  const include = { includeExecuting, includeSettings, includeTests };
  return { ...include, ...(branch === undefined ? {} : defined({ branch, message })) };
}

async function apply(
  context: CliContext,
  client: Client,
  id: string,
  options: ApplyOptions,
): Promise<void> {
  const applied = await client.apply(id, toRequest(options), options.idempotencyKey);
  if (options.json) printJson(context, applyDocument(id, applied));
  else if (applied.files > 0 || applied.branch !== null)
    context.out(formatApplied(context, applied));
  else await reportNothingToDo(context, client, id);
}

/** The project already has everything. */
async function reportNothingToDo(context: CliContext, client: Client, id: string): Promise<void> {
  const { applied } = await client.applyDetails(id);
  const before = applied !== null && isInPlace(applied) ? earlier(context, applied) : '';
  context.out(`Nothing to apply: the project already has the work of run ${id}${before}.\n`);
}

function earlier(context: CliContext, applied: AppliedView): string {
  return applied.files === 0 ? '' : ` (${describeApplied(applied, context.clock.now())})`;
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
  const { project } = await client.run(id);
  const known = (await client.applyDetails(id, options.message)).applied; // refuses a wrong message early
  if (known !== null && isInPlace(known)) {
    const root = await requireCommittable(context, project, []);
    const made = await commitEarlier(context, client, id, root, known, options.message);
    if (made !== undefined) return report(context, id, options.json, undefined, made);
  }
  const { files } = await client.diff(id);
  const paths = files.map(({ path }) => path);
  const root = await requireCommittable(context, project, paths);
  const applied = await client.apply(id, toRequest(options), options.idempotencyKey);
  if (applied.files === 0) return report(context, id, options.json, applied, undefined);
  if (!options.json) context.out(formatApplied(context, applied));
  const made = await commitNow(context, client, id, root, options.message);
  report(context, id, options.json, applied, made);
}

async function commitEarlier(
  context: CliContext,
  client: Client,
  id: string,
  root: string,
  { kind, at, commit, branch }: AppliedView,
  message: string | undefined,
): Promise<MadeCommit | undefined> {
  if (kind === 'branch')
    throw new Refusal({
      code: 'workspace.not-committable',
      message: `The work of run ${id} is already committed on the branch ${branch ?? ''}.`,
      hint: `Merge it with: git merge ${branch ?? ''}`,
    });
  if (commit !== null) return undefined;
  const found = await findRunCommit(context, root, { run: id, since: at });
  if (found === undefined) {
    await requireUnmixed(context, root, (await client.applyDetails(id)).files);
    return commitNow(context, client, id, root, message);
  }
  await recordCommit(client, id, found);
  return found;
}

async function commitNow(
  context: CliContext,
  client: Client,
  id: string,
  root: string,
  firstLine: string | undefined,
): Promise<MadeCommit | undefined> {
  const { files, message } = await client.applyDetails(id, firstLine);
  const paths = files.map(({ path }) => path);
  const made = await commitFiles(context, root, { run: id, paths, message });
  if (made !== undefined) await recordCommit(client, id, made);
  return made;
}

function report(
  context: CliContext,
  id: string,
  json: boolean,
  applied: Applied | undefined,
  made: MadeCommit | undefined,
): void {
  if (json) printJson(context, applyDocument(id, applied, made));
  else if (made === undefined)
    context.out(`Nothing to commit: the last commit already has the work of run ${id}.\n`);
  else {
    const where = made.branch === null ? '' : ` on ${made.branch}`;
    context.out(`${paint(context, 'green', 'committed')} ${made.made.slice(0, 12)}${where}\n`);
  }
}

async function undo(
  context: CliContext,
  client: Client,
  reference: string | undefined,
  { json, idempotencyKey }: ApplyOptions,
): Promise<void> {
  const id =
    reference === undefined
      ? await lastApplied(context, client)
      : await findRunToChange(context, client, reference);
  await requireUncommitted(context, client, id);
  const undone = await client.undo(id, idempotencyKey);
  if (json) printJson(context, undoDocument(id, undone));
  else
    context.out(
      `${paint(context, 'green', 'restored')} ${plural(undone.files, 'file')}: the work of run ${id} is no longer applied\n`,
    );
}

/** A commit that was made and not recorded is recorded now. Then the owner refuses the undo. */
async function requireUncommitted(context: CliContext, client: Client, id: string): Promise<void> {
  const { applied } = await client.applyDetails(id);
  if (applied === null || !isInPlace(applied) || applied.kind !== 'files') return;
  const { project } = await client.run(id);
  const root = await userGitLine(context, project, ['rev-parse', '--show-toplevel']);
  if (root === undefined || applied.commit !== null) return;
  const found = await findRunCommit(context, root, { run: id, since: applied.at });
  if (found !== undefined) await recordCommit(client, id, found);
}

/** The run of this project that was applied last and is not undone. */
async function lastApplied(context: CliContext, client: Client): Promise<string> {
  const project = projectDir(context, undefined);
  const rows = await client.status({ project, ended: true, limit: RUNS_BACK_MAX });
  const [last] = rows
    .filter(({ applied }) => isInPlace(applied))
    .toSorted((one, other) => (other.applied?.at ?? 0) - (one.applied?.at ?? 0));
  if (last !== undefined) return last.view.id;
  throw new Refusal({
    code: 'workspace.not-undoable',
    message: `No run is applied to ${project}.`,
    hint: 'List the runs with: supervisor status --all',
  });
}
