import type { Command } from 'commander';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { LAST_RUN, RUN_ARGUMENT, findRun } from '../../runs/find-runs.ts';
import { watchAsGuest } from '../../watch/watch-as-guest.ts';

type Options = { readonly follow: boolean; readonly verbose: boolean; readonly json: boolean };

export function addAttach(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('attach')
    .description('Watch a run. Press q or Ctrl-C to leave; the run continues.')
    .argument('[run]', RUN_ARGUMENT, LAST_RUN)
    .option('-f, --follow', 'show everything that the agents print, not only their messages', false)
    .option('--verbose', 'show internal steps too, such as the cost of each model call', false)
    .option('--json', 'print each event as JSON, then the result', false)
    .addHelpText('after', HELP)
    .action(async (reference: string, { follow, verbose, json }: Options) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const view = await client.run(await findRun(context, client, reference));
      const options = { json: json && 'stream', follow, verbose } as const;
      finish(await watchAsGuest(context, connection, view, options));
    });
}

const HELP = `
If the run ends while you watch, the exit code is that of the run. If you leave with q, it is 0. Ctrl-C is 130, and
SIGTERM is 143.

Examples:
  supervisor attach last
  supervisor attach docs`;
