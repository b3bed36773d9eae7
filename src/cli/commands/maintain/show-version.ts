import type { Command } from 'commander';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { printJson } from '../../json/print-json.ts';

export function addVersion(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('version')
    .description('Print the version of Supervisor')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample:\n  supervisor version')
    .action(({ json }: { readonly json: boolean }) => {
      const { version } = context;
      if (json) printJson(context, { schema: 'supervisor.version/1', version });
      else context.out(`${version}\n`);
      finish(0);
    });
}
