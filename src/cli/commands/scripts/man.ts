import type { Command } from 'commander';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { renderManPage } from '../../help/man-page.ts';

/** `program` has all commands: the page describes them. */
export function addMan(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('man')
    .description('Print the manual page, in the format of man')
    .addHelpText('after', '\nExample:\n  supervisor man | man -l -')
    .action(() => {
      context.out(renderManPage(program, context.version), 'verbatim');
      finish(0);
    });
}
