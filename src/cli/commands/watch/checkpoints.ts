import type { Command } from 'commander';
import { Option } from 'commander';
import { formatClockTime } from '../../../base/format-time.ts';
import { plural } from '../../../base/text.ts';
import type { CheckpointView } from '../../../protocol/views/checkpoint-view.ts';
import { checkpointName } from '../../../protocol/views/checkpoint-view.ts';
import { checkpointsDocument } from '../../../public-json/work-documents.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { RUN_ARGUMENT, LAST_RUN, findRun, findRunToChange } from '../../runs/find-runs.ts';
import { joinCells, layOutTable } from '../../format/text-table.ts';
import type { KeyOption } from '../../options.ts';
import { KEY_OPTION } from '../../options.ts';
import { printJson } from '../../json/print-json.ts';
import type { ContinuedOptions } from '../../watch/show-continued.ts';
import { EarlyInterrupt } from '../../watch/early-interrupt.ts';
import { showContinued } from '../../watch/show-continued.ts';
import { stepName } from '../../runs/step-name.ts';

export function addCheckpoints(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('checkpoints')
    .description('List the steps of a workflow that it can continue from, with the work of each')
    .argument('[run]', `${RUN_ARGUMENT}. Default: last`)
    .option('--json', 'print JSON', false)
    .addHelpText('after', CHECKPOINTS_HELP)
    .action(async (reference: string | undefined, { json }: { json: boolean }) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const run = await findRun(context, client, reference ?? LAST_RUN);
      const found = await client.checkpoints(run);
      if (json) printJson(context, checkpointsDocument(run, found));
      else context.out(table(context, found));
      finish(EXIT.ok);
    });
}

const CHECKPOINTS_HELP = `
Each visit of a step is a checkpoint. If a run continues from one, that step and those after it are done again, and
the work begins as it was before that step.

Examples:
  supervisor checkpoints
  supervisor checkpoints 0123456789 --json
  supervisor resume last --from implement
  supervisor fork last --at implement#2`;

type ForkOptions = KeyOption & ContinuedOptions & { readonly at: string };

export function addFork(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('fork')
    .description('Start a second run of a workflow from one of its steps; the first one continues')
    .argument('<run>', RUN_ARGUMENT)
    .requiredOption('--at <step>', 'the step that the new run begins with', stepName)
    .option('-d, --detach', 'return at once instead of watching the run', false)
    .option('--verbose', 'show internal steps too, such as the cost of each model call', false)
    .option('-q, --quiet', 'show no progress, only the result', false)
    .option(...KEY_OPTION)
    .option('--json', 'print the result as JSON; --json=stream also prints each event', false)
    .addOption(new Option('--json-stream').hideHelp().default(false))
    .addHelpText('after', FORK_HELP)
    .action(async (reference: string, { at, ...given }: ForkOptions) => {
      const options = { ...given, json: given.json || given.jsonStream };
      await using connection = await connectOwner(context);
      const { client } = connection;
      const run = await findRunToChange(context, client, reference);
      using early = new EarlyInterrupt(context);
      const view = await early.during(() => client.fork(run, { step: at }, given.idempotencyKey));
      finish(await showContinued(context, connection, { run, view }, options, early));
    });
}

const FORK_HELP = `
The steps before it are kept, and the work begins as it was before that step. A step that ran several times means its
last visit: implement#1 means the first one. List the steps with: supervisor checkpoints RUN

Examples:
  supervisor fork last --at implement
  supervisor fork 0123456789 --at review#1 --detach`;

/** As git shortens it. */
const SHA_CHARS = 10;

function table(context: CliContext, checkpoints: readonly CheckpointView[]): string {
  if (checkpoints.length === 0) return 'No step has begun yet.\n';
  const now = context.clock.now();
  const rows = checkpoints.map((one) => [
    printable(checkpointName(one)),
    formatClockTime(one.at, now),
    one.before?.slice(0, SHA_CHARS) ?? '-',
    one.after?.slice(0, SHA_CHARS) ?? '-',
    plural(one.files, 'file'),
    one.outcome,
  ]);
  const columns = [
    { title: 'step', least: 8 },
    { title: 'began' },
    { title: 'work before' },
    { title: 'work after' },
    { title: 'changes' },
    { title: 'outcome' },
  ];
  const { head, rows: cells } = layOutTable(context.terminal, columns, rows);
  return [paint(context, 'bold', joinCells(head)), ...cells.map(joinCells)]
    .map((text) => `${text.trimEnd()}\n`)
    .join('');
}
