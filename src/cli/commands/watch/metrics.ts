import type { Command } from 'commander';
import { Option } from 'commander';
import { Refusal } from '../../../base/errors.ts';
import type { MetricGroup } from '../../../protocol/metric-groups.ts';
import { METRIC_GROUPS } from '../../../protocol/metric-groups.ts';
import { metricsDocument } from '../../../public-json/metrics-document.ts';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { formatMetrics, metricsCsv } from '../../format/metrics-text.ts';
import { timeBack } from '../../options.ts';
import { printJson } from '../../json/print-json.ts';

type Options = {
  readonly last: number;
  readonly by: MetricGroup;
  readonly json: boolean;
  readonly csv: boolean;
};

const DAYS_30 = 30 * 86_400_000;
const HELP = `
Examples:
  supervisor metrics
  supervisor metrics --last 90d --by model
  supervisor metrics --by step --csv > steps.csv`;

export function addMetrics(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('metrics')
    .description(
      'Compare roles, agents, models, steps or workflows: success, verified work, time, tokens, cost and failures',
    )
    .addOption(
      new Option('--last <time>', 'how far to look back, such as 12h or 30d')
        .argParser(timeBack)
        .default(DAYS_30, '30d'),
    )
    .addOption(new Option('--by <group>', 'what to compare').choices(METRIC_GROUPS).default('role'))
    .option('--json', 'print JSON', false)
    .option('--csv', 'print one line for each group, with commas between the values', false)
    .addHelpText('after', HELP)
    .action(async ({ last, by, json, csv }: Options) => {
      if (json && csv) throw twoFormats();
      await using connection = await connectOwner(context);
      const since = Math.max(0, context.clock.now() - last);
      const view = await connection.client.machine.metrics(since, by);
      if (json) printJson(context, metricsDocument(view));
      else if (csv) context.out(metricsCsv(view), 'verbatim');
      else context.out(formatMetrics(context, view));
      return finish(0);
    });
}

function twoFormats(): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: '--json and --csv are two formats of the same figures.',
    hint: 'Pass one of them.',
  });
}
