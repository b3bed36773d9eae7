import { Argument } from 'commander';
import type { Command } from 'commander';
import { Refusal } from '../../../base/errors.ts';
import { serviceDocument } from '../../../public-json/machine-documents.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { stateHome } from '../../connect-owner.ts';
import { printJson } from '../../json/print-json.ts';
import type { ServiceFile, ServiceManager } from '../../service-file.ts';
import { SERVICE_MANAGERS, renderService, serviceEnvironment } from '../../service-file.ts';

const DEFAULTS: Readonly<Record<string, ServiceManager>> = { linux: 'systemd', darwin: 'launchd' };

export function addOwnerService(owner: Command, context: CliContext, finish: CommandEnding): void {
  owner
    .command('service')
    .description('Print a file with which systemd or launchd keeps the owner running')
    .addArgument(
      new Argument('[manager]', 'the service manager; the default is that of this machine').choices(
        SERVICE_MANAGERS,
      ),
    )
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action((manager: ServiceManager | undefined, { json }: { readonly json: boolean }) => {
      const file = serviceFile(context, manager);
      if (json) printJson(context, serviceDocument(file));
      else {
        context.out(file.text, 'verbatim');
        const title = paint(context, 'bold', 'To save it and to start the owner:');
        context.err(`\n${title}\n`);
        for (const line of file.start) context.err(`  ${line}\n`, 'verbatim');
        context.err(`${file.keys}\n`);
        context.err(`To stop the owner for good: ${file.stop}\n`);
      }
      finish(0);
    });
}

/** Without a name: for the service manager of this machine. */
export function serviceFile(context: CliContext, manager?: ServiceManager): ServiceFile {
  const { dir } = stateHome(context);
  return renderService(manager ?? DEFAULTS[process.platform] ?? unknownPlatform(), {
    command: [...context.ownerCommand, '--stay'],
    environment: serviceEnvironment(context.env, dir),
    home: dir,
  });
}

const HELP = `
The file goes to standard output, and the commands that use it to standard error. Nothing is installed or started.

Examples:
  supervisor owner service
  supervisor owner service systemd > ~/.config/systemd/user/agent-supervisor.service`;

function unknownPlatform(): never {
  throw new Refusal({
    code: 'usage.invalid',
    message: `This machine (${process.platform}) has no service manager that Supervisor knows.`,
    hint: `Name one: supervisor owner service ${SERVICE_MANAGERS.join('|')}`,
  });
}
