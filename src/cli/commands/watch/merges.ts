import type { Command } from 'commander';
import { featureRunDocument } from '../../../public-json/feature-documents.ts';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { RUN_ARGUMENT, findRun } from '../../runs/find-runs.ts';
import { formatMerges } from '../../format/feature-run-text.ts';
import { printJson } from '../../json/print-json.ts';

export function addMerges(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('merges')
    .description('Show the merge queue of a feature: what has landed, and what waits')
    .argument('<run>', RUN_ARGUMENT)
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample:\n  supervisor merges last')
    .action(async (reference: string, { json }: { readonly json: boolean }) => {
      await using connection = await connectOwner(context);
      const id = await findRun(context, connection.client, reference);
      const view = await connection.client.feature(id);
      if (json) printJson(context, featureRunDocument(view, null));
      else context.out(formatMerges(context, view));
      finish(EXIT.ok);
    });
}
