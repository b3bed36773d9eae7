/** The commands for the work of a run that leave the project as it is: diff, discard. */
import { plural } from '../../../base/text.ts';
import type { Command } from 'commander';
import { isRefusal } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import type { Discarded, WorkDiff } from '../../../protocol/api.ts';
import { EXIT } from '../../exit-codes.ts';
import type { CliContext } from '../../cli-context.ts';
import { printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import type { AllOptions } from '../../runs/find-runs.ts';
import {
  LAST_RUN,
  RUN_ARGUMENT,
  RUNS_ARGUMENT,
  findRun,
  forEachRun,
  errorsOf,
  reportRefused,
  withAllOptions,
} from '../../runs/find-runs.ts';
import { colourDiff } from '../../format/diff-colours.ts';
import { showPaged } from '../../watch/pager.ts';
import { diffDocument, discardDocument } from '../../../public-json/work-documents.ts';
import { printJson } from '../../json/print-json.ts';
import { hintUnapplied } from '../../apply/unapplied-work.ts';
import { appliedLine, approvalLines } from '../../format/approvals-header.ts';

type DiffOptions = {
  readonly stat: boolean;
  readonly raw: boolean;
  readonly color: boolean;
  readonly pager: boolean;
  readonly json: boolean;
};
type DiscardOptions = AllOptions & { readonly json: boolean };

export function addDiff(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('diff')
    .description('Show the changes of a run, without applying them')
    .argument('[run]', RUN_ARGUMENT, LAST_RUN)
    .option('--stat', 'show only the number of changed lines per file', false)
    .option('--raw', 'do not escape control characters', false)
    .option('--no-color', 'print no colors')
    .option('--no-pager', 'print to the terminal instead of your pager')
    .option('--json', 'print JSON', false)
    .addHelpText('after', DIFF_HELP)
    .action(async (reference: string, { stat, raw, color, pager, json }: DiffOptions) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const run = await findRun(context, client, reference);
      const diff = await client.diff(run);
      const head = `${appliedLine(diff.applied, context.clock.now())}${approvalLines(diff.approvals)}`;
      if (json) printJson(context, diffDocument(run, diff));
      else {
        const stats = diff.files.length === 0 ? '' : formatStat(diff);
        const text = `${head}${stat ? stats : diff.text}`;
        const safe = raw ? text : printable(text);
        await showPaged(context, color && !stat && !raw ? colourDiff(context, safe) : safe, {
          isPlain: !pager,
        });
      }
      if (diff.files.length === 0 && !json) {
        context.err(`Run ${run} changed no file.\n`);
        await hintUnapplied(context, client, run);
      }
      if (diff.leftOut > 0 && !stat && !json)
        context.err(
          `${plural(diff.leftOut, 'more file is', 'more files are')} too large to show. List all with --stat.\n`,
        );
      finish(EXIT.ok);
    });
}

const DIFF_HELP = `
At a terminal, the diff has colors and is shown in your pager, as with git: GIT_PAGER, core.pager, PAGER, or less.

Example:
  supervisor diff --stat`;

export function addDiscard(program: Command, context: CliContext, finish: CommandEnding): void {
  withAllOptions(program.command('discard'), 'all runs that have ended')
    .alias('rm')
    .description('Delete the workspace of a run. Its work is kept for diff and apply.')
    .argument('[runs...]', RUNS_ARGUMENT)
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExamples:\n  supervisor discard last\n  supervisor discard 3f2a 91c0')
    .action(async (references: readonly string[], { json, ...which }: DiscardOptions) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const selection = { references, ...which, ended: true };
      const { results, refused, code } = await forEachRun(context, client, selection, (id) =>
        discard(client, id, which.all),
      );
      const discarded = results.filter((one) => one !== undefined);
      if (json) printJson(context, discardDocument(discarded, errorsOf(refused)));
      else reportRefused(context, refused);
      for (const one of json ? [] : discarded) context.out(`${describeDiscarded(one)}\n`);
      const isGone = discarded.every(({ kind }) => kind === 'gone');
      finish(code === EXIT.ok && !isGone ? EXIT.failed : code);
    });
}

/** With `--all`, a run without a workspace needs nothing. */
async function discard(
  client: Client,
  id: string,
  all: boolean,
): Promise<(Discarded & { readonly run: string }) | undefined> {
  try {
    return { run: id, ...(await client.discard(id)) };
  } catch (error) {
    if (all && isRefusal(error, 'workspace.not-found')) return undefined;
    throw error;
  }
}

function describeDiscarded({ run, left, wasGone }: Discarded & { readonly run: string }): string {
  if (wasGone === true)
    return `Workspace of run ${run} was deleted before. Its work is kept, see it with: supervisor diff ${run}`;
  if (left === undefined)
    return `Workspace of run ${run} deleted. Its work is kept, see it with: supervisor diff ${run}`;
  const files = printable(left.files.join(', '));
  return `Workspace of run ${run} not deleted: Supervisor can't store ${files}. Copy what you need, then delete ${printable(left.folder)}`;
}

function formatStat({ files }: WorkDiff): string {
  const lines = files.map(({ path, added, removed }) =>
    added === null ? `binary         ${path}` : `+${added} -${removed}`.padEnd(15) + path,
  );
  return [...lines, `${plural(files.length, 'file')}\n`].join('\n');
}
