/** The merge queue of a feature: a person sees it, holds it, and takes work out of it. */
import type { Command } from 'commander';
import type { FeatureView } from '../../../protocol/views/feature-view.ts';
import type { PersonSignal } from '../../../protocol/signal.ts';
import { featureRunDocument } from '../../../public-json/feature-documents.ts';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { RUN_ARGUMENT, findRun, findRunToChange } from '../../runs/find-runs.ts';
import { findComponent } from '../../runs/find-component.ts';
import { formatMerges } from '../../format/merge-queue-text.ts';
import { printJson } from '../../json/print-json.ts';

type Action = Extract<PersonSignal, { kind: 'merge-queue' }>['action'];
type Options = { readonly json: boolean };

const COMPONENT_ARGUMENT =
  'the id or the name of a component, such as P1T5-PH1-C1 or backend.model';

export function addMerges(program: Command, context: CliContext, finish: CommandEnding): void {
  const merges = program
    .command('merges')
    .description('Show the merge queue of a feature, hold it, or take work out of it')
    .addHelpText('after', HELP);
  merges
    .command('list', { isDefault: true })
    .description('Show what has landed, what is being merged, and what waits')
    .argument('<run>', RUN_ARGUMENT)
    .option('--json', 'print JSON', false)
    .action(async (reference: string, { json }: Options) => {
      await using connection = await connectOwner(context);
      const id = await findRun(context, connection.client, reference);
      show(context, await connection.client.feature(id), json);
      finish(EXIT.ok);
    });
  const add = (action: Action, argument: string, what: string): void => {
    merges
      .command(action)
      .description(what)
      .argument('<run>', RUN_ARGUMENT)
      .argument(argument, COMPONENT_ARGUMENT)
      .option('--json', 'print JSON', false)
      .action(async (reference: string, component: string | undefined, { json }: Options) => {
        show(context, await change(context, action, reference, component), json);
        finish(EXIT.ok);
      });
  };
  add('hold', '[component]', 'Merge nothing, or not the work of this component');
  add('release', '[component]', 'End a hold of the queue, or of this component');
  add('skip', '<component>', 'Take finished work out of the queue, and build without it');
}

const HELP = `
A hold is kept until you release it, also by the next owner. The agents continue meanwhile. The work of a
component that you hold is passed by others, and goes to the end of the queue when you release it. A commit
that has begun is not taken back.

Examples:
  supervisor merges last
  supervisor merges hold last
  supervisor merges skip last P1T5-PH1-C2`;

async function change(
  context: CliContext,
  action: Action,
  reference: string,
  named: string | undefined,
): Promise<FeatureView> {
  await using connection = await connectOwner(context);
  const { client } = connection;
  const id = await findRunToChange(context, client, reference);
  const component = named === undefined ? null : findComponent(await client.feature(id), named).id;
  await client.signal(id, { kind: 'merge-queue', action, component });
  return await client.feature(id);
}

function show(context: CliContext, view: FeatureView, json: boolean): void {
  if (json) printJson(context, featureRunDocument(view, null));
  else context.out(formatMerges(context, view));
}
