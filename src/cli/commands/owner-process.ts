import type { Command } from 'commander';
import { findOwner, stopOwner } from '../../client/connect.ts';
import { openInProcess, parseListen } from '../../client/in-process.ts';
import { refusedLine } from '../../client/owner-log.ts';
import { isRefusal } from '../../base/errors.ts';
import { machineFault } from '../../base/machine-fault.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliContext } from '../cli-context.ts';
import { stateHome, ownerOptions } from '../connect-owner.ts';
import type { CommandEnding } from '../command-line.ts';

export function addOwner(program: Command, context: CliContext, finish: CommandEnding): void {
  const owner = program
    .command('owner')
    .description('The one background process that owns the state and runs agents');

  owner
    .command('status')
    .description('Say whether an owner is up, and what it is doing')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => {
      const found = await findOwner(stateHome(context));
      if (json) context.out(`${JSON.stringify(found?.view ?? null)}\n`);
      else if (found === undefined) context.out('No owner is up; the next command starts one.\n');
      else {
        const { pid, version, startedAt, runs, commands, home, defects, api } = found.view;
        context.out(`pid ${pid}, version ${version}, since ${new Date(startedAt).toISOString()}\n`);
        context.out(`${home}: ${runs} runs going on, ${commands} commands performed now\n`);
        if (api !== null) context.out(`answers on ${api} too\n`);
        for (const { run, message } of defects) context.out(`run ${run} can't go on: ${message}\n`);
      }
      finish(0);
    });

  owner
    .command('stop')
    .description('End the owner in good order; runs that are going on are taken up by the next one')
    .action(async () => {
      const ended = await stopOwner(stateHome(context), context.clock);
      context.out(ended ? 'The owner has ended.\n' : 'No owner is up.\n');
      finish(0);
    });

  owner
    .command('serve', { hidden: true })
    .description('Become the owner, until nobody needs it')
    .option('--stay', 'even then', false)
    .option('--listen <address>', 'answer on a port of this machine too')
    .action(async ({ stay, listen }: { stay: boolean; listen?: string }) => {
      try {
        const { serving } = await openInProcess({
          ...ownerOptions(context, (line) => logLine(context, line)),
          stays: stay,
          tcp: listen === undefined ? undefined : parseListen(listen),
        });
        const asked = Promise.withResolvers<string>();
        context.onInterrupt(() => asked.resolve('a signal'));
        const reason = await Promise.race([serving.done, asked.promise]);
        await serving.close(reason);
        finish(serving.owner.gaveUp ? EXIT.failed : EXIT.ok);
      } catch (thrown) {
        const error = isRefusal(thrown) ? thrown : machineFault(thrown);
        if (error === undefined) throw thrown;
        // Somebody else was quicker, which is as good; whatever else, the command that waits for us should hear.
        const late = error.data.code === 'owner.already-running';
        if (!late) logLine(context, refusedLine(error.data));
        finish(late ? EXIT.ok : EXIT.failed);
      }
    });
}

function logLine(context: CliContext, line: string): void {
  context.err(`${new Date(context.clock.now()).toISOString()} ${line}\n`);
}
