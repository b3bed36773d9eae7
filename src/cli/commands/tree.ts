import type { Command } from 'commander';
import type { TreeView } from '../../protocol/views/tree-view.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';
import { projectDir } from '../project-path.ts';
import { connectOwner } from '../connect-owner.ts';
import { visibleToProject, formatTree } from '../format/tree-lines.ts';

type Options = { readonly json: boolean; readonly follow: boolean; readonly all: boolean };

const HEALTH = { well: 'green', recovering: 'yellow', down: 'red' } as const;

export function addTree(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('tree')
    .description(
      "Show the owner's components and this project's agents, with their state and restarts",
    )
    .option('-f, --follow', 'show the tree again after every change, until Ctrl-C', false)
    .option('-a, --all', 'include agents of all projects, and silent ones', false)
    .option('--json', 'print JSON; with --follow one line per change', false)
    .addHelpText('after', '\nExample: supervisor tree --follow')
    .action(async ({ json, follow, all }: Options) => {
      // Starts an owner if none is running, because only an owner shows the agents that were killed with the last one.
      await using connection = await connectOwner(context);
      const { client } = connection;
      finish(0);
      const project = projectDir(context, undefined);
      const show = (whole: TreeView): void => {
        const view = all ? whole : visibleToProject(whole, project);
        context.out(json ? `${JSON.stringify(view)}\n` : drawTree(context, view));
      };
      if (!follow) return show(await client.tree());
      const interrupted = new AbortController();
      const leave = context.onInterrupt(() => interrupted.abort());
      try {
        for await (const view of client.followTree(interrupted.signal)) show(view);
      } catch (error) {
        if (!interrupted.signal.aborted) throw error;
      } finally {
        leave();
      }
    });
}

function drawTree(context: CliContext, view: TreeView): string {
  const lines = formatTree(view).map(
    ({ name, state, health, more }) =>
      `${paint(context, 'cyan', name)}  ${paint(context, HEALTH[health], state)}  ${paint(context, 'dim', printable(more))}\n`,
  );
  return lines.join('');
}
