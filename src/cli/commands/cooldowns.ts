import type { Command } from 'commander';
import { Refusal } from '../../base/errors.ts';
import type { CooldownView } from '../../protocol/views/cooldown-view.ts';
import { formatDuration } from '../../base/format-duration.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';
import { connectOwner } from '../connect-owner.ts';

export function addCooldowns(program: Command, context: CliContext, finish: CommandEnding): void {
  const cooldowns = program
    .command('cooldowns')
    .description('Show which agents rest after a limit, and until when')
    .addHelpText('after', HELP);
  cooldowns
    .command('list', { isDefault: true })
    .description('show them, the first to be free first')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => {
      await using connection = await connectOwner(context);
      const found = await connection.client.cooldowns();
      context.out(json ? `${JSON.stringify(found)}\n` : table(context, found));
      finish(0);
    });
  cooldowns
    .command('clear')
    .description('let an agent be tried again before its time')
    .argument('[agent]', "the agent's id or its identity, as the list shows them")
    .option('--all', 'all of them', false)
    .option('--json', 'print those that were cleared as JSON', false)
    .action(async (which: string | undefined, options: { all: boolean; json: boolean }) => {
      if ((which === undefined) !== options.all) throw nameOneOrAll();
      await using connection = await connectOwner(context);
      const cleared = await connection.client.clearCooldowns(which ?? null);
      context.out(options.json ? `${JSON.stringify(cleared)}\n` : said(context, cleared));
      finish(0);
    });
}

const HELP = `
A limit is the provider's: it holds for the same program, login, arguments and model in every project.

Examples:
  supervisor cooldowns
  supervisor cooldowns clear main
  supervisor cooldowns clear --all`;

function nameOneOrAll(): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: 'Say which agent may be tried again, or --all.',
    hint: 'See who rests with: supervisor cooldowns',
  });
}

function table(context: CliContext, cooldowns: readonly CooldownView[]): string {
  if (cooldowns.length === 0) return 'No agent rests.\n';
  const now = context.clock.now();
  const rows = cooldowns.map(({ agent, identity, until, reason }) => [
    printable(agent),
    printable(identity),
    `${localTime(until)} (in ${formatDuration(until - now)})`,
    printable(reason),
  ]);
  const head = ['agent', 'identity', 'until', 'reason'];
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === 3 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ');
  return [paint(context, 'bold', line(head)), ...rows.map(line)]
    .map((text) => `${text}\n`)
    .join('');
}

/** As the user's clock shows it: `2026-11-15 23:48`. */
function localTime(ms: number): string {
  const [day, time] = new Date(ms).toLocaleString('sv-SE').split(' ');
  return `${day} ${time?.slice(0, 5)}`;
}

function said(context: CliContext, cleared: readonly CooldownView[]): string {
  if (cleared.length === 0) return 'No agent rests.\n';
  return cleared
    .map(({ agent }) => `${paint(context, 'cyan', printable(agent))} may be tried again.\n`)
    .join('');
}
