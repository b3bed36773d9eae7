/** `supervisor takeover`: the agent's own conversation in the terminal of the person, inside its sandbox. */
import type { Command } from 'commander';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { findRunToChange, RUN_ARGUMENT } from '../../runs/find-runs.ts';
import { requireTerminal, takeOverRun } from '../../takeover/take-over-run.ts';
import { watchAsGuest } from '../../watch/watch-as-guest.ts';

export function addTakeover(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('takeover')
    .description('Take the agent of a run over in your terminal, inside its sandbox')
    .argument('<run>', RUN_ARGUMENT)
    .option('--shell', 'open a shell in the sandbox instead of the agent', false)
    .addHelpText('after', HELP)
    .action(async (reference: string, { shell }: { readonly shell: boolean }) => {
      requireTerminal(context);
      await using connection = await connectOwner(context);
      const run = await findRunToChange(context, connection.client, reference);
      const handed = await takeOverRun(context, connection, run, { shell, joins: false });
      if (handed.kind === 'left') return finish(handed.code);
      const { client } = handed;
      const view = await client.run(run);
      finish(await watchAsGuest(context, { ...connection, client }, view, { json: false }));
    });
}

const HELP = `
The agent's turn ends, and its conversation opens in your terminal. Its sandbox, its gateway and its budget stay in
force. No deadline counts, and nothing else of the run begins. When you leave the program, you choose: the agent
continues, the gates check the work, or the run stops. If your terminal is lost, the run asks you in the inbox.

Examples:
  supervisor takeover last
  supervisor takeover 0123456789 --shell`;
