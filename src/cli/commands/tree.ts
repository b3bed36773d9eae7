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
      "Show the owner's parts and this project's agents: who is up, how often restarted, and why",
    )
    .option('-f, --follow', 'show it again after every change, until Ctrl-C', false)
    .option('-a, --all', 'the agents of all projects, and those that are silent', false)
    .option('--json', 'print JSON; with --follow a line a change', false)
    .addHelpText('after', '\nExample: supervisor tree --follow')
    .action(async ({ json, follow, all }: Options) => {
      // Whoever was killed with the last owner should be seen, and not be taken for gone.
      await using connection = await connectOwner(context);
      const { client } = connection;
      finish(0);
      const project = projectDir(context, undefined);
      const show = (whole: TreeView): void => {
        const view = all ? whole : visibleToProject(whole, project);
        context.out(json ? `${JSON.stringify(view)}\n` : picture(context, view));
      };
      if (!follow) return show(await client.tree());
      const enough = new AbortController();
      const leave = context.onInterrupt(() => enough.abort());
      try {
        for await (const view of client.followTree(enough.signal)) show(view);
      } catch (error) {
        if (!enough.signal.aborted) throw error;
      } finally {
        leave();
      }
    });
}

function picture(context: CliContext, view: TreeView): string {
  const lines = formatTree(view).map(
    ({ name, state, health, more }) =>
      `${paint(context, 'cyan', name)}  ${paint(context, HEALTH[health], state)}  ${paint(context, 'dim', printable(more))}\n`,
  );
  return lines.join('');
}
