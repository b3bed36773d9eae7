import type { Command } from 'commander';
import type { TreeView } from '../../protocol/tree-view.ts';
import type { Face } from '../face.ts';
import { paint, printable } from '../face.ts';
import type { Finish } from '../program.ts';
import { projectDir } from '../inside-project.ts';
import { reach } from '../reach.ts';
import { ofProject, treeLines } from '../tree-lines.ts';

type Options = { readonly json: boolean; readonly follow: boolean; readonly all: boolean };

const HEALTH = { well: 'green', recovering: 'yellow', down: 'red' } as const;

export function addTree(program: Command, face: Face, finish: Finish): void {
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
      await using reached = await reach(face, false);
      const { client } = reached;
      finish(0);
      const project = projectDir(face, undefined);
      const show = (whole: TreeView): void => {
        const view = all ? whole : ofProject(whole, project);
        face.out(json ? `${JSON.stringify(view)}\n` : picture(face, view));
      };
      if (!follow) return show(await client.tree());
      const enough = new AbortController();
      const leave = face.onInterrupt(() => enough.abort());
      try {
        for await (const view of client.followTree(enough.signal)) show(view);
      } catch (error) {
        if (!enough.signal.aborted) throw error;
      } finally {
        leave();
      }
    });
}

function picture(face: Face, view: TreeView): string {
  const lines = treeLines(view).map(
    ({ name, state, health, more }) =>
      `${paint(face, 'cyan', name)}  ${paint(face, HEALTH[health], state)}  ${paint(face, 'dim', printable(more))}\n`,
  );
  return lines.join('');
}
