/** Pauses, continues and cancels the run of a feature, with the runs of its components. */
import type { Command } from 'commander';
import type { Client } from '../../../client/client.ts';
import { featureRunDocument } from '../../../public-json/feature-documents.ts';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { formatFeatureRun } from '../../format/feature-run-text.ts';
import { printJson } from '../../json/print-json.ts';
import { EndWaits } from '../../runs/end-waits.ts';
import { RUN_ARGUMENT, findRunToChange } from '../../runs/find-runs.ts';

/** Resolves with the run that continues. */
type Act = (client: Client, run: string) => Promise<string>;

export function addControlFeature(
  feature: Command,
  context: CliContext,
  finish: CommandEnding,
): void {
  const add = (name: string, what: string, act: Act): void => {
    feature
      .command(name)
      .description(what)
      .argument('<run>', RUN_ARGUMENT)
      .option('--json', 'print JSON', false)
      .action(async (reference: string, { json }: { readonly json: boolean }) => {
        await using connection = await connectOwner(context);
        const { client } = connection;
        const id = await findRunToChange(context, client, reference);
        // Refuses a run that builds no feature before anything changes.
        await client.feature(id);
        const view = await client.feature(await act(client, id));
        if (json) printJson(context, featureRunDocument(view, null));
        else context.out(formatFeatureRun(context, view));
        finish(EXIT.ok);
      });
  };
  add('pause', 'Start nothing new, and let the agents of all components wait', pause);
  add('resume', 'Continue a feature that is paused, was cancelled or has failed', resume);
  add('cancel', 'Stop the runs of all components. What has landed stays on the branch.', cancel);
}

async function pause(client: Client, run: string): Promise<string> {
  await client.signal(run, { kind: 'pause' });
  return run;
}

async function cancel(client: Client, run: string): Promise<string> {
  await new EndWaits({ client }).end(await client.signal(run, { kind: 'stop' }));
  return run;
}

/** A feature that has ended continues as another run. */
async function resume(client: Client, run: string): Promise<string> {
  const { pausedAt, outcome } = await client.run(run);
  if (outcome === null && pausedAt !== null) {
    await client.signal(run, { kind: 'unpause' });
    return run;
  }
  return (await client.resume(run)).id;
}
