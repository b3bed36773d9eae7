import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';

export function addVersion(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('version')
    .description('Print the version of Supervisor')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample:\n  supervisor version')
    .action(({ json }: { readonly json: boolean }) => {
      const { version } = context;
      context.out(json ? `${JSON.stringify({ version })}\n` : `${version}\n`);
      finish(0);
    });
}
