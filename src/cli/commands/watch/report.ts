import type { Command } from 'commander';
import { Option } from 'commander';
import { Refusal } from '../../../base/errors.ts';
import { fitLines } from '../../../host/output/fit-lines.ts';
import { reportDocument } from '../../../public-json/reading-documents.ts';
import { stepsReportDocument } from '../../../public-json/steps-document.ts';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { formatReport } from '../../format/report-text.ts';
import { formatSteps } from '../../format/steps-text.ts';
import { showPaged } from '../../watch/pager.ts';
import { timeBack } from '../../options.ts';
import { printJson } from '../../json/print-json.ts';

type Options = {
  readonly since?: number;
  readonly steps: boolean;
  readonly template?: string;
  readonly json: boolean;
};

/** On a terminal the pager shows it from its top, where the runs are that need a person. */
const NOT_PLAIN = { isPlain: false };
const HOURS_12 = 12 * 3_600_000;
const HELP = `
Examples:
  supervisor report --since 3d
  supervisor report --steps --template mvp`;

export function addReport(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('report')
    .description('Summarize recent runs: what is done, what failed and why, cost, what needs you')
    .addOption(
      new Option(
        '--since <time>',
        'how far to look back, such as 12h or 3d (default: 12h; with --steps: all)',
      ).argParser(timeBack),
    )
    .option('--steps', 'show what each step of each workflow costs and changes', false)
    .option('--template <name>', 'with --steps: only the workflow with this name')
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async ({ since, steps, template, json }: Options) => {
      if (template !== undefined && !steps) throw withoutSteps();
      await using connection = await connectOwner(context);
      const { client } = connection;
      const back = (ms: number): number => Math.max(0, context.clock.now() - ms);
      if (steps) {
        const report = await client.stepsReport(since === undefined ? 0 : back(since), template);
        if (json) printJson(context, stepsReportDocument(report));
        else await show(context, formatSteps(context, report, template));
        return finish(0);
      }
      const report = await client.report(back(since ?? HOURS_12));
      if (json) printJson(context, reportDocument(report));
      else await show(context, formatReport(context, report));
      return finish(0);
    });
}

function withoutSteps(): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: '--template is only for the report on steps.',
    hint: 'Add --steps, or leave out --template.',
  });
}

function show(context: CliContext, text: string): Promise<void> {
  return showPaged(context, fitted(context, text), NOT_PLAIN);
}

/** The pager would break lines inside words. */
function fitted({ terminal }: CliContext, text: string): string {
  return terminal.isTty ? fitLines(text, terminal.width) : text;
}
