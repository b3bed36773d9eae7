import type { Command } from 'commander';
import { Refusal } from '../../../base/errors.ts';
import type { CooldownView } from '../../../protocol/views/cooldown-view.ts';
import { formatDuration } from '../../../base/format-duration.ts';
import { formatMoment } from '../../../base/format-time.ts';
import { oneLine } from '../../../base/text.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { cooldownsDocument } from '../../../public-json/reading-documents.ts';
import { joinCells, layOutTable } from '../../format/text-table.ts';
import { printJson } from '../../json/print-json.ts';

export function addCooldowns(program: Command, context: CliContext, finish: CommandEnding): void {
  const cooldowns = program
    .command('cooldowns')
    .description('Show which agents are cooling down after a provider limit, and until when')
    .addHelpText('after', HELP);
  cooldowns
    .command('list', { isDefault: true })
    .description('List the agents that are cooling down, the first to be free at the top')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => {
      await using connection = await connectOwner(context);
      const found = await connection.client.machine.cooldowns();
      if (json) printJson(context, cooldownsDocument(found));
      else context.out(table(context, found));
      finish(0);
    });
  cooldowns
    .command('clear')
    .description('End the cooldown of an agent now')
    .argument('[agent]', 'the agent id or identity, as the list shows it')
    .option('--all', 'end all cooldowns', false)
    .option('--json', 'print the ended cooldowns as JSON', false)
    .action(async (which: string | undefined, options: { all: boolean; json: boolean }) => {
      if ((which === undefined) !== options.all) throw agentOrAllNeeded();
      await using connection = await connectOwner(context);
      const cleared = await connection.client.machine.clearCooldowns(which ?? null);
      if (options.json) printJson(context, cooldownsDocument(cleared));
      else context.out(formatCleared(context, cleared));
      finish(0);
    });
}

const HELP = `
A provider limit applies in every project, to all agents with the same CLI, login, arguments and model.

Examples:
  supervisor cooldowns
  supervisor cooldowns clear main
  supervisor cooldowns clear --all`;

function agentOrAllNeeded(): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: 'Name one agent, or pass --all.',
    hint: 'List the agents that are cooling down with: supervisor cooldowns',
  });
}

function table(context: CliContext, cooldowns: readonly CooldownView[]): string {
  if (cooldowns.length === 0) return 'No agent is cooling down.\n';
  const now = context.clock.now();
  const rows = cooldowns.map(({ agent, identity, until, reason }) => [
    printable(agent),
    printable(identity),
    `${formatMoment(until, now)} (in ${formatDuration(until - now)})`,
    oneLine(printable(reason)),
  ]);
  const columns = [
    { title: 'agent', least: 8 },
    { title: 'identity', least: 8 },
    { title: 'until' },
    { title: 'reason', least: 12 },
  ];
  const table = layOutTable(context.terminal, columns, rows);
  return [paint(context, 'bold', joinCells(table.head)), ...table.rows.map(joinCells)]
    .map((text) => `${text}\n`)
    .join('');
}

function formatCleared(context: CliContext, cleared: readonly CooldownView[]): string {
  if (cleared.length === 0) return 'No agent is cooling down.\n';
  return cleared
    .map(({ agent }) => `${paint(context, 'cyan', printable(agent))} is available again.\n`)
    .join('');
}
