/** The runs as a whole: which there are, and what the old ones have left on the disk. */
import type { Command } from 'commander';
import { Refusal } from '../../base/errors.ts';
import type { LeftoverKind, PrunePlan, Pruned } from '../../protocol/views/prune-view.ts';
import { parseDurationMs } from '../../settings/quantity.ts';
import { formatDuration } from '../../base/format-duration.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';
import { connectOwner } from '../connect-owner.ts';
import { statusCommand } from './status.ts';

type Options = {
  readonly olderThan: string;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
};

export function addRuns(program: Command, context: CliContext, finish: CommandEnding): void {
  const runs = program
    .command('runs')
    .description('The runs as a whole: list them, or remove what old ones have left on the disk');
  statusCommand(runs.command('list', { isDefault: true }), context, finish);
  runs
    .command('prune')
    .description(
      'Remove what ended runs, and earlier lives of agents, have left: workspaces, homes, outputs, briefs',
    )
    .option(
      '--older-than <time>',
      'only runs and lives that ended so long ago, such as 24h or 7d',
      '24h',
    )
    .option('-y, --yes', 'do it without asking', false)
    .option('--dry-run', 'only say what there is', false)
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `
The work of a run stays on its ref, and the journal stays whole: diff and apply go on working. What was
printed and the recordings of model calls go with the outputs; a brief goes when no other run names it.
Of an agent that goes on, the present life and the two before it are left alone.

Example:
  supervisor runs prune --older-than 7d --dry-run`,
    )
    .action(async (options: Options) => finish(await prune(context, options)));
}

async function prune(
  context: CliContext,
  { olderThan, yes, dryRun, json }: Options,
): Promise<number> {
  const ageMs = parseDurationMs(olderThan);
  if (ageMs === undefined) throw noDuration(olderThan);
  await using connection = await connectOwner(context);
  const { client } = connection;
  const before = Math.max(0, context.clock.now() - ageMs);
  const plan = await client.prunePlan({ before });
  const isEmpty = plan.runs.length + plan.agents.length + plan.briefs.length === 0;
  if (isEmpty && !json)
    context.out(`Nothing is left of runs that ended more than ${olderThan} ago.\n`);
  if (!isEmpty && !json) context.out(sayPlan(context, plan));
  if (isEmpty || dryRun) {
    if (json) context.out(`${JSON.stringify({ plan, pruned: null })}\n`);
    return EXIT.ok;
  }
  const asks = !yes && !json && context.terminal.isTty && process.stdin.isTTY;
  if (!yes && !(asks && (await isSure()))) {
    if (json) context.out(`${JSON.stringify({ plan, pruned: null })}\n`);
    context.err(`Nothing was removed.${asks ? '' : ' Type it again with --yes to remove it.'}\n`);
    return asks ? EXIT.interrupted : EXIT.usage;
  }
  const pruned = await client.prune({ before });
  context.out(json ? `${JSON.stringify({ plan, pruned })}\n` : sayPruned(context, pruned));
  return pruned.stays.length === 0 ? EXIT.ok : EXIT.failed;
}

async function isSure(): Promise<boolean> {
  const { confirm } = await import('@clack/prompts');
  return (await confirm({ message: 'Remove all of it?', initialValue: false })) === true;
}

const KINDS: Readonly<Record<LeftoverKind, string>> = {
  workspace: 'workspaces',
  home: "agents' homes",
  output: 'outputs with recorded model calls',
  brief: 'briefs',
};
/** More would scroll away what matters. */
const RUNS_SHOWN = 20;

type Row = Pick<PrunePlan['agents'][number], 'run' | 'task' | 'leftovers'>;

function sayPlan(context: CliContext, { runs, agents, briefs, bytes }: PrunePlan): string {
  const row = ({ run, task, leftovers }: Row, what: string): string => {
    const size = sayBytes(leftovers.reduce((sum, one) => sum + one.bytes, 0)).padStart(9);
    const words = printable(task).replaceAll('\n', ' ').slice(0, 50);
    return `${paint(context, 'cyan', run)} ${size}  ${what}  ${words}\n`;
  };
  const rows = [
    ...runs.map((one) =>
      row(one, `ended ${formatDuration(context.clock.now() - one.endedAt).padStart(7)} ago`),
    ),
    ...agents.map((one) => row(one, `${one.lives} earlier lives`.padEnd(17))),
  ];
  const shown = rows.slice(0, RUNS_SHOWN);
  const more = rows.length > RUNS_SHOWN ? `and ${rows.length - RUNS_SHOWN} more runs\n` : '';
  const all = [...[...runs, ...agents].flatMap(({ leftovers }) => leftovers), ...briefs];
  const kinds = Object.entries(KINDS).map(([kind, name]) => {
    const own = all.filter((one) => one.kind === kind);
    return `${own.length} ${name} (${sayBytes(own.reduce((sum, one) => sum + one.bytes, 0))})`;
  });
  return `${shown.join('')}${more}In all ${sayBytes(bytes)}: ${kinds.join(', ')}. Work stays on its refs.\n`;
}

function sayPruned(context: CliContext, { runs, agents, briefs, bytes, stays }: Pruned): string {
  const kept = stays.map(
    ({ path, why }) =>
      `${paint(context, 'yellow', 'stays')} ${printable(path)}: ${printable(why)}\n`,
  );
  const whose = agents === 0 ? `${runs} runs` : `${runs} runs, ${agents} agents`;
  return `${kept.join('')}${paint(context, 'green', 'removed')} ${sayBytes(bytes)} of ${whose} and ${briefs} briefs\n`;
}

function sayBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [size, unit] = [bytes, 0];
  for (; size >= 1000 && unit < units.length - 1; unit += 1) size /= 1000;
  return `${size < 10 && unit > 0 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

function noDuration(written: string): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `${written} is no time.`,
    hint: 'Write a whole number with a unit, such as 90m, 24h or 7d.',
  });
}
