import type { Command } from 'commander';
import { Refusal } from '../../base/errors.ts';
import type { CooldownView } from '../../protocol/views/cooldown-view.ts';
import { duration } from '../duration.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';
import { connectOwner } from '../connect-owner.ts';

export function addCooldowns(program: Command, face: CliContext, finish: CommandEnding): void {
  const cooldowns = program
    .command('cooldowns')
    .description('Show which agents rest after a limit, and until when')
    .addHelpText('after', HELP);
  cooldowns
    .command('list', { isDefault: true })
    .description('show them, the first to be free first')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => {
      await using reached = await connectOwner(face, false);
      const found = await reached.client.cooldowns();
      face.out(json ? `${JSON.stringify(found)}\n` : table(face, found));
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
      await using reached = await connectOwner(face, false);
      const cleared = await reached.client.clearCooldowns(which ?? null);
      face.out(options.json ? `${JSON.stringify(cleared)}\n` : said(face, cleared));
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

function table(face: CliContext, cooldowns: readonly CooldownView[]): string {
  if (cooldowns.length === 0) return 'No agent rests.\n';
  const now = face.clock.now();
  const rows = cooldowns.map(({ agent, identity, until, reason }) => [
    printable(agent),
    printable(identity),
    `${localTime(until)} (in ${duration(until - now)})`,
    printable(reason),
  ]);
  const head = ['agent', 'identity', 'until', 'reason'];
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === 3 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ');
  return [paint(face, 'bold', line(head)), ...rows.map(line)].map((text) => `${text}\n`).join('');
}

/** As the user's clock shows it: `2026-11-15 23:48`. */
function localTime(ms: number): string {
  const [day, time] = new Date(ms).toLocaleString('sv-SE').split(' ');
  return `${day} ${time?.slice(0, 5)}`;
}

function said(face: CliContext, cleared: readonly CooldownView[]): string {
  if (cleared.length === 0) return 'No agent rests.\n';
  return cleared
    .map(({ agent }) => `${paint(face, 'cyan', printable(agent))} may be tried again.\n`)
    .join('');
}
