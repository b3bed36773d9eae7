import type { Command } from 'commander';
import type { TreeNode, TreeView } from '../../../protocol/views/tree-view.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { currentProject } from '../../input/project-path.ts';
import type { MachineClient } from '../../../client/machine-client.ts';
import { connectOwner } from '../../connect-owner.ts';
import type { Reconnect } from '../../watch/reconnect.ts';
import { lineReconnect } from '../../watch/reconnect.ts';
import { treeDocument } from '../../../public-json/agent-documents.ts';
import { printJson } from '../../json/print-json.ts';
import {
  formatTree,
  troubledInternals,
  visibleToProject,
  withoutInternals,
} from '../../../reports/tree-lines.ts';

type Options = {
  readonly json: boolean;
  readonly follow: boolean;
  readonly all: boolean;
  readonly internals: boolean;
};

const HEALTH = { well: 'green', recovering: 'yellow', down: 'red' } as const;

export function addTree(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('tree')
    .description('Show the long-lived agents of this project, with their state and restarts')
    .option('-f, --follow', 'show the tree again after every change, until Ctrl-C', false)
    .option('--all', 'include agents of all projects, and silent ones', false)
    .option('--internals', "include the owner's own components", false)
    .option('--json', 'print JSON; with --follow one line per change', false)
    .addHelpText(
      'after',
      '\nExamples:\n  supervisor tree --follow\n  supervisor tree --all --internals',
    )
    .action(async ({ json, follow, all, internals }: Options) => {
      // Starts an owner if none is running, because only an owner shows the agents that were killed with the last one.
      await using connection = await connectOwner(context);
      const { client } = connection;
      finish(0);
      const project = currentProject(context);
      const show = (whole: TreeView): void => {
        const visible = all ? whole : visibleToProject(whole, project);
        const view = internals ? visible : withoutInternals(visible);
        if (json) return printJson(context, treeDocument(view));
        context.out(view.nodes.length === 0 ? noAgents(all) : drawTree(context, view));
        const troubled = internals ? [] : troubledInternals(whole);
        if (troubled.length > 0) context.err(describeTroubled(context, troubled));
      };
      if (!follow) return show(await client.machine.tree());
      await followTree(context, client.machine, await lineReconnect(context, connection), show);
    });
}

const RETRY_MS = 1000;

/** Until Ctrl-C, or until its reader leaves. If the owner is gone, it continues with the next one. */
async function followTree(
  context: CliContext,
  client: Pick<MachineClient, 'followTree'>,
  reconnect: Reconnect,
  show: (view: TreeView) => void,
): Promise<void> {
  const left = new AbortController();
  const leave = (): void => left.abort();
  const forget = [context.onInterrupt(leave), context.onReaderGone(leave)];
  try {
    do {
      try {
        for await (const view of client.followTree(left.signal)) {
          reconnect.succeeded();
          show(view);
        }
      } catch (error) {
        if (left.signal.aborted) return;
        await reconnect.after(error);
      }
    } while (await context.clock.sleep(RETRY_MS, left.signal));
  } finally {
    for (const one of forget) one();
  }
}

function noAgents(all: boolean): string {
  const where = all ? '' : ' in this project';
  return `No long-lived agents${where}. Start one with: supervisor spawn "…"\n`;
}

function describeTroubled(context: CliContext, troubled: readonly TreeNode[]): string {
  const names = troubled.map(({ name, health }) => `${name} (${health})`).join(', ');
  return `${paint(context, 'yellow', `Parts of the owner are not well: ${names}.`)} Show them with: supervisor tree --internals\n`;
}

function drawTree(context: CliContext, view: TreeView): string {
  const lines = formatTree(view).map(
    ({ name, state, health, more }) =>
      `${paint(context, 'cyan', name)}  ${paint(context, HEALTH[health], state)}  ${paint(context, 'dim', printable(more))}\n`,
  );
  return lines.join('');
}
