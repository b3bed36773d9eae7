import { defined } from '../../../base/defined.ts';
import { formatTime } from '../../../base/format-time.ts';
import { plural } from '../../../base/text.ts';
import type { Command } from 'commander';
import { findOwner } from '../../../client/connect.ts';
import { refusedLine } from '../../../client/owner-log.ts';
import { isRefusal } from '../../../base/errors.ts';
import { machineFault } from '../../../base/machine-fault.ts';
import { EXIT } from '../../exit-codes.ts';
import type { CliContext } from '../../cli-context.ts';
import { stateHome, ownerOptions } from '../../connect-owner.ts';
import { listenAddress, startOwnerHere } from '../../load-owner.ts';
import type { CommandEnding } from '../../command-line.ts';
import { ownerDocument } from '../../../public-json/machine-documents.ts';
import { printJson } from '../../json/print-json.ts';
import { endOwner } from './up.ts';
import { addOwnerService } from './owner-service.ts';

type ServeOptions = {
  readonly stay: boolean;
  readonly listen?: string;
  readonly db?: string;
  readonly takeOver: boolean;
};

export function addOwner(program: Command, context: CliContext, finish: CommandEnding): void {
  const owner = program
    .command('owner')
    .description(
      'Show or stop the owner, the background process that runs agents, or have it kept running',
    );

  owner
    .command('status')
    .description('Show whether an owner is running, and what it is doing')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => {
      const found = await findOwner(stateHome(context));
      if (json) printJson(context, ownerDocument(found?.view ?? null));
      else if (found === undefined)
        context.out('No owner is running. The next command starts one.\n');
      else {
        const { pid, version, startedAt, runs, commands, home, defects, api } = found.view;
        const started = formatTime(startedAt, context.clock.now());
        context.out(`pid ${pid}, version ${version}, started ${started}\n`);
        context.out(
          `${home}: ${plural(runs, 'active run')}, ${plural(commands, 'command')} in progress\n`,
        );
        if (api !== null) context.out(`API: ${api}\n`);
        for (const { run, message } of defects)
          context.out(`run ${run} can't continue: ${message}\n`);
      }
      finish(0);
    });

  owner
    .command('stop')
    .description('Shut down the owner. Active runs continue when the next owner starts.')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => finish(await endOwner(context, json)));

  addOwnerService(owner, context, finish);

  owner
    .command('serve', { hidden: true })
    .description('Run the owner until it is idle')
    .option('--stay', 'keep running when idle', false)
    .option('--listen <address>', 'also serve the API on a local port')
    .option('--db <url>', 'keep the journal in this database')
    .option('--take-over', 'also if its runs belong to another home', false)
    .action(async ({ stay, listen, db, takeOver }: ServeOptions) => {
      try {
        const { serving } = await startOwnerHere({
          ...ownerOptions(context, (line) => logLine(context, line)),
          stays: stay,
          tcp: await listenAddress(listen),
          database: { takesOver: takeOver, ...defined({ url: db }) },
        });
        const interrupted = Promise.withResolvers<string>();
        context.onInterrupt(() => interrupted.resolve('a signal'));
        const reason = await Promise.race([serving.done, interrupted.promise]);
        await serving.close(reason);
        finish(serving.owner.lifetime.gaveUp ? EXIT.failed : EXIT.ok);
      } catch (thrown) {
        const error = isRefusal(thrown) ? thrown : machineFault(thrown);
        if (error === undefined) throw thrown;
        // If another owner was faster, the command connects to that one. It reads any other refusal from the log.
        const isRunning = error.data.code === 'owner.already-running';
        if (!isRunning) logLine(context, refusedLine(error.data));
        finish(isRunning ? EXIT.ok : EXIT.failed);
      }
    });
}

function logLine(context: CliContext, line: string): void {
  context.err(`${new Date(context.clock.now()).toISOString()} ${line}\n`, 'verbatim');
}
