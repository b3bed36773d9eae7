/** The commands for the work of a run: diff, apply, discard. */
import { plural } from '../../base/text.ts';
import type { Command } from 'commander';
import { defined } from '../../base/defined.ts';
import type { WorkDiff } from '../../protocol/api.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliContext } from '../cli-context.ts';
import { printable } from '../cli-context.ts';
import type { KeyOption } from '../options.ts';
import { withKeyOption } from '../options.ts';
import type { CommandEnding } from '../command-line.ts';
import { connectOwner } from '../connect-owner.ts';
import { approvalLines } from '../format/approvals-header.ts';
import { formatApplied } from '../format/applied.ts';

type DiffOptions = { readonly stat: boolean; readonly raw: boolean; readonly json: boolean };
type ApplyOptions = KeyOption & {
  readonly branch?: string;
  readonly includeExecuting: boolean;
  readonly includeSettings: boolean;
  readonly includeTests: boolean;
  readonly json: boolean;
};

export function addDiff(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('diff')
    .description('Show the changes of a run, without applying them')
    .argument('<run>', 'the run id')
    .option('--stat', 'show only the number of changed lines per file', false)
    .option('--raw', 'do not escape control characters', false)
    .option('--json', 'print JSON', false)
    .action(async (id: string, { stat, raw, json }: DiffOptions) => {
      await using connection = await connectOwner(context);
      const diff = await connection.client.diff(id);
      const shown = `${approvalLines(diff.approvals)}${stat ? formatStat(diff) : diff.text}`;
      context.out(json ? `${JSON.stringify(diff)}\n` : raw ? shown : printable(shown));
      if (diff.leftOut > 0 && !stat && !json)
        context.err(
          `${plural(diff.leftOut, 'more file is', 'more files are')} too large to show. List all with --stat.\n`,
        );
      finish(EXIT.ok);
    });
}

export function addApply(program: Command, context: CliContext, finish: CommandEnding): void {
  withKeyOption(program.command('apply'))
    .description('Apply the work of a run to the project: all of it, or nothing')
    .argument('<run>', 'the run id')
    .option('-b, --branch <name>', 'commit to a new branch instead, and change no file')
    .option('--include-executing', 'include files that run by themselves, such as hooks', false)
    .option('--include-settings', 'include changes to .supervisor', false)
    .option('--include-tests', 'include tests that were changed, deleted or skipped', false)
    .option('--json', 'print JSON', false)
    .action(async (id: string, options: ApplyOptions) => {
      const { branch, json, idempotencyKey, ...include } = options;
      await using connection = await connectOwner(context);
      const request = { ...include, ...defined({ branch }) };
      const applied = await connection.client.apply(id, request, idempotencyKey);
      context.out(json ? `${JSON.stringify(applied)}\n` : formatApplied(context, applied));
      finish(EXIT.ok);
    });
}

export function addDiscard(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('discard')
    .description('Delete the workspace of a run. The work is kept on a git ref.')
    .argument('<run>', 'the run id')
    .option('--json', 'print JSON', false)
    .action(async (id: string, { json }: { readonly json: boolean }) => {
      await using connection = await connectOwner(context);
      const discarded = await connection.client.discard(id);
      const { kind, ref } = discarded;
      const text =
        kind === 'gone'
          ? `Workspace deleted. The work is kept as ${ref}.`
          : `Workspace not deleted: some of the work can't be kept as ${ref}.`;
      context.out(json ? `${JSON.stringify(discarded)}\n` : `${text}\n`);
      finish(kind === 'gone' ? EXIT.ok : EXIT.failed);
    });
}

function formatStat({ files }: WorkDiff): string {
  const lines = files.map(({ path, added, removed }) =>
    added === null ? `binary         ${path}` : `+${added} -${removed}`.padEnd(15) + path,
  );
  return [...lines, `${plural(files.length, 'file')}\n`].join('\n');
}
