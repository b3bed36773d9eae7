import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { fitLines } from '../../host/output/fit-lines.ts';
import { reportDocument } from '../../public-json/reading-documents.ts';
import { parseDurationMs } from '../../settings/quantity.ts';
import type { CliContext } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';
import { connectOwner } from '../connect-owner.ts';
import { formatReport } from '../format/report-text.ts';
import { showPaged } from '../pager.ts';
import { printJson } from '../print-json.ts';

type Options = { readonly since: number; readonly json: boolean };

/** On a terminal the pager shows it from its top, where the runs are that need a person. */
const NOT_PLAIN = { isPlain: false };
const HOURS_12 = 12 * 3_600_000;

export function addReport(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('report')
    .description('Summarize recent runs: what is done, what failed and why, cost, what needs you')
    .addOption(
      new Option('--since <time>', 'how far to look back, such as 12h or 3d')
        .argParser(timeBack)
        .default(HOURS_12, '12h'),
    )
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample:\n  supervisor report --since 3d')
    .action(async ({ since, json }: Options) => {
      await using connection = await connectOwner(context);
      const report = await connection.client.report(Math.max(0, context.clock.now() - since));
      if (json) printJson(context, reportDocument(report));
      else await showPaged(context, fitted(context, formatReport(context, report)), NOT_PLAIN);
      finish(0);
    });
}

/** The pager would break lines inside words. */
function fitted({ terminal }: CliContext, text: string): string {
  return terminal.isTty ? fitLines(text, terminal.width) : text;
}

function timeBack(text: string): number {
  const ms = parseDurationMs(text);
  if (ms === undefined) throw new InvalidArgumentError('Use a duration such as 12h or 3d.');
  return ms;
}
