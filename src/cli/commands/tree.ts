import type { Command } from 'commander';
import { findOwner } from '../../client/connect.ts';
import type { TreeView } from '../../protocol/tree-view.ts';
import type { Face } from '../face.ts';
import { paint, printable } from '../face.ts';
import type { Finish } from '../program.ts';
import { homeOf } from '../reach.ts';
import { treeLines } from '../tree-lines.ts';

type Options = { readonly json: boolean; readonly follow: boolean };

const HEALTH = { well: 'green', recovering: 'yellow', down: 'red' } as const;

export function addTree(program: Command, face: Face, finish: Finish): void {
  program
    .command('tree')
    .description("Show the owner's parts: which are up, how often each was restarted, and why")
    .option('-f, --follow', 'show it again after every change, until Ctrl-C', false)
    .option('--json', 'print JSON; with --follow a line a change', false)
    .addHelpText('after', '\nExample: supervisor tree --follow')
    .action(async ({ json, follow }: Options) => {
      const found = await findOwner(homeOf(face));
      finish(0);
      if (found === undefined) {
        face.out(json ? 'null\n' : 'No owner is up; start one with: supervisor up --detach\n');
        return;
      }
      const show = (view: TreeView): void =>
        face.out(json ? `${JSON.stringify(view)}\n` : picture(face, view));
      if (!follow) return show(await found.client.tree());
      const enough = new AbortController();
      const leave = face.onInterrupt(() => enough.abort());
      try {
        for await (const view of found.client.followTree(enough.signal)) show(view);
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
