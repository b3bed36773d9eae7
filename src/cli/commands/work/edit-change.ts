/** The command with which a person changes the work of a workflow before they approve it. */
import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { RUN_ARGUMENT, findRunToChange } from '../../runs/find-runs.ts';
import type { KeyOption } from '../../options.ts';
import { KEY_OPTION } from '../../options.ts';
import { printJson } from '../../json/print-json.ts';
import { printDecided, readApproverSecret } from '../../ask/decide-change.ts';

type EditOptions = KeyOption & {
  readonly done: boolean;
  readonly as?: string;
  readonly secretStdin: boolean;
  readonly json: boolean;
};

export function addEdit(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('edit')
    .description('Change the work that a workflow asks about, in a checkout of your own')
    .argument('<run>', RUN_ARGUMENT)
    .option('--done', 'take the files of the checkout as the new work', false)
    .option('--as <name>', 'the approver who made the change; their secret is asked for')
    .option('--secret-stdin', 'read the secret of the approver from standard input', false)
    .option(...KEY_OPTION)
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (reference: string, options: EditOptions) => {
      const secret = await readApproverSecret(context, options);
      await using connection = await connectOwner(context);
      const { client } = connection;
      const id = await findRunToChange(context, client, reference);
      if (options.done) {
        const request = { decision: 'edit', channel: 'terminal' } as const;
        const more = defined({ as: options.as, secret });
        const view = await client.decide(id, { ...request, ...more }, options.idempotencyKey);
        printDecided(context, view, options);
        return finish(EXIT.ok);
      }
      const { folder, work } = await client.edit(id);
      if (options.json)
        printJson(context, { schema: 'supervisor.edit/1', run_id: id, folder, tree: work });
      else {
        context.err('Change the files in this folder:\n');
        context.out(`${folder}\n`, 'verbatim');
        context.err(`Then run: supervisor edit ${id} --done\n`);
      }
      finish(EXIT.ok);
    });
}

const HELP = `
Without --done, it prints the folder of the checkout. Change files there, and commit or not, as you like. With --done,
the files become the work. Gates that judged the work run again, and then the approval is asked for again. It also works
where a workflow needs you for another reason, such as a gate that stays red.

Examples:
  supervisor edit d86c57e7ac
  supervisor edit d86c57e7ac --done`;
