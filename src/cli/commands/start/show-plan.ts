/** Shows a plan that a file describes: a drawing for a terminal, or a diagram. */
import type { Command } from 'commander';
import { CAPACITY } from '../../../plan/expected-speedup.ts';
import { renderMermaid } from '../../../plan/graph-text.ts';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { EXIT } from '../../exit-codes.ts';
import { formatFeature, toFeatureDocument } from '../../format/feature-text.ts';
import { readFeatureFile } from '../../input/read-feature-file.ts';
import { printJson } from '../../json/print-json.ts';
import { times } from '../../options.ts';

type Options = { readonly graph: boolean; readonly capacity: number; readonly json: boolean };

export function addShowPlan(plan: Command, context: CliContext, finish: CommandEnding): void {
  plan
    .command('show')
    .description('Draw the plan of a feature file, and what would run side by side')
    .argument('<file>', 'the YAML file of a feature')
    .option('--graph', 'print a Mermaid diagram instead, which GitHub shows in Markdown', false)
    .option('--capacity <count>', 'how many components may be at work at once', times, CAPACITY)
    .option('--json', 'print JSON', false)
    .action(async (file: string, { graph, capacity, json }: Options) => {
      const feature = await readFeatureFile(context.cwd, file);
      if (json) printJson(context, toFeatureDocument(feature, capacity));
      else if (graph) context.out(renderMermaid(feature), 'verbatim');
      else context.out(formatFeature(context, feature, capacity));
      finish(EXIT.ok);
    });
}
