/** What becomes of a run's work once it is over: look at it, take it over, or put it away. */
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
    .description("Show what a run's agent has changed; nothing is applied by it")
    .argument('<run>', 'the run')
    .option('--stat', 'only how many lines of which files', false)
    .option('--raw', 'as it is, control characters and all', false)
    .option('--json', 'print JSON', false)
    .action(async (id: string, { stat, raw, json }: DiffOptions) => {
      await using connection = await connectOwner(context);
      const diff = await connection.client.diff(id);
      const shown = `${approvalLines(diff.approvals)}${stat ? statOf(diff) : diff.text}`;
      context.out(json ? `${JSON.stringify(diff)}\n` : raw ? shown : printable(shown));
      if (diff.leftOut > 0 && !stat && !json)
        context.err(`${diff.leftOut} more files are too large to be shown; see them with --stat\n`);
      finish(EXIT.ok);
    });
}

export function addApply(program: Command, context: CliContext, finish: CommandEnding): void {
  withKeyOption(program.command('apply'))
    .description("Take a run's work over into the project: all of it, or nothing")
    .argument('<run>', 'the run')
    .option('-b, --branch <name>', 'as a commit on a new branch; no file of yours is touched')
    .option('--include-executing', 'also files that run by themselves, such as hooks', false)
    .option('--include-settings', 'also changes of .supervisor', false)
    .option('--include-tests', 'also changed, deleted or skipped tests of yours', false)
    .option('--json', 'print JSON', false)
    .action(async (id: string, options: ApplyOptions) => {
      const { branch, json, idempotencyKey, ...include } = options;
      await using connection = await connectOwner(context);
      const wish = { ...include, ...defined({ branch }) };
      const applied = await connection.client.apply(id, wish, idempotencyKey);
      context.out(json ? `${JSON.stringify(applied)}\n` : formatApplied(context, applied));
      finish(EXIT.ok);
    });
}

export function addDiscard(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('discard')
    .description("Remove a run's workspace; its work stays on a ref of ours")
    .argument('<run>', 'the run')
    .option('--json', 'print JSON', false)
    .action(async (id: string, { json }: { readonly json: boolean }) => {
      await using connection = await connectOwner(context);
      const discarded = await connection.client.discard(id);
      const { kind, ref } = discarded;
      const words =
        kind === 'gone'
          ? `removed; the work is kept as ${ref}`
          : `stays where it is: some of it can't be kept as ${ref}`;
      context.out(json ? `${JSON.stringify(discarded)}\n` : `${words}\n`);
      finish(kind === 'gone' ? EXIT.ok : EXIT.failed);
    });
}

function statOf({ files }: WorkDiff): string {
  const lines = files.map(({ path, added, removed }) =>
    added === null ? `binary         ${path}` : `+${added} -${removed}`.padEnd(15) + path,
  );
  return [...lines, `${files.length} files\n`].join('\n');
}
