import type { Command } from 'commander';
import { formatDuration } from '../../../base/format-duration.ts';
import { formatTime } from '../../../base/format-time.ts';
import { oneLine } from '../../../base/text.ts';
import { Refusal } from '../../../base/errors.ts';
import type { BreakerView } from '../../../protocol/breaker.ts';
import { breakersDocument } from '../../../public-json/breaker-documents.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { joinCells, layOutTable } from '../../format/text-table.ts';
import { printJson } from '../../json/print-json.ts';

export function addBreakers(program: Command, context: CliContext, finish: CommandEnding): void {
  const breakers = program
    .command('breakers')
    .description('Show which steps of workflows fail so often that they are not started any more')
    .addHelpText('after', HELP);
  breakers
    .command('list', { isDefault: true })
    .description('List the steps that have failed lately, and whether they may start')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => {
      await using connection = await connectOwner(context);
      const found = await connection.client.machine.breakers();
      if (json) printJson(context, breakersDocument(found));
      else context.out(table(context, found));
      finish(EXIT.ok);
    });
  breakers
    .command('reset')
    .description('Let a step start again, and forget its failures')
    .argument('[step]', 'the step, as the list shows it')
    .option('--all', 'reset all steps', false)
    .option('--json', 'print the steps as JSON, as they were', false)
    .action(async (step: string | undefined, options: { all: boolean; json: boolean }) => {
      if ((step === undefined) !== options.all) throw stepOrAllNeeded();
      await using connection = await connectOwner(context);
      const closed = await connection.client.machine.resetBreakers(step ?? null);
      if (options.json) printJson(context, breakersDocument(closed));
      else context.out(formatReset(context, closed));
      finish(EXIT.ok);
    });
}

const HELP = `
If a step fails 5 times within 5 minutes, in one run or in several, its circuit breaker opens: the workflow asks you
instead of starting the step. After 5 minutes one run may try it. If that run passes the step, the breaker closes.

Examples:
  supervisor breakers
  supervisor breakers reset implement
  supervisor breakers reset --all`;

function stepOrAllNeeded(): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: 'Name one step, or pass --all.',
    hint: 'List the steps that have failed with: supervisor breakers',
  });
}

function table(context: CliContext, breakers: readonly BreakerView[]): string {
  if (breakers.length === 0) return 'No step has failed lately.\n';
  const now = context.clock.now();
  const rows = breakers.map((one) => [
    printable(one.step),
    printable(one.workflow),
    printable(one.project),
    one.until === null ? one.state : `${one.state} for ${formatDuration(one.until - now)}`,
    String(one.failures),
    formatTime(one.lastFailedAt, now),
    oneLine(printable(one.reason)),
  ]);
  const columns = [
    { title: 'step', least: 8 },
    { title: 'workflow', least: 8 },
    { title: 'project', least: 8 },
    { title: 'breaker' },
    { title: 'failures' },
    { title: 'last' },
    { title: 'reason', least: 12 },
  ];
  const { head, rows: cells } = layOutTable(context.terminal, columns, rows);
  return [paint(context, 'bold', joinCells(head)), ...cells.map(joinCells)]
    .map((text) => `${text.trimEnd()}\n`)
    .join('');
}

function formatReset(context: CliContext, closed: readonly BreakerView[]): string {
  if (closed.length === 0) return 'No step has failed lately.\n';
  return closed
    .map(({ step }) => `Step ${paint(context, 'cyan', printable(step))} may start again.\n`)
    .join('');
}
