/** The commands for all runs: list them, and delete the files of old ones. */
import { oneLine, plural } from '../../../base/text.ts';
import { cutToWidth } from '../../../host/output/fit-lines.ts';
import type { Command } from 'commander';
import { Refusal } from '../../../base/errors.ts';
import type { LeftoverKind, PrunePlan, Pruned } from '../../../protocol/views/prune-view.ts';
import { parseDurationMs } from '../../../settings/quantity.ts';
import { formatDuration } from '../../../base/format-duration.ts';
import { EXIT } from '../../exit-codes.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import type { ErrorFields } from '../../../public-json/error-document.ts';
import { simpleError } from '../../../public-json/error-document.ts';
import { pruneDocument } from '../../../public-json/work-documents.ts';
import { printJson } from '../../json/print-json.ts';
import { statusCommand } from './status.ts';
import { requireYesAtTerminal } from '../../ask/confirm.ts';

type Options = {
  readonly olderThan: string;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
};

export function addRuns(program: Command, context: CliContext, finish: CommandEnding): void {
  const runs = program
    .command('runs')
    .description('List runs, or delete the files that old runs left on disk');
  statusCommand(runs.command('list', { isDefault: true }), context, finish);
  runs
    .command('prune')
    .description(
      'Delete the files of ended runs and of earlier lives of agents: workspaces, homes, outputs, briefs',
    )
    .option(
      '--older-than <time>',
      'only runs and lives that ended longer ago than this, such as 24h or 7d',
      '24h',
    )
    .option('-y, --yes', 'delete without asking', false)
    .option('--dry-run', 'only show what would be deleted', false)
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `
The work of a run is kept on its ref and the journal stays complete, so diff and apply still work. Outputs contain
what the agents printed and the recorded model calls. A brief is deleted when no other run uses it. The current life
of an active agent and the two lives before it are kept.

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
  if (ageMs === undefined) throw invalidDuration(olderThan);
  await using connection = await connectOwner(context);
  const { client } = connection;
  const before = Math.max(0, context.clock.now() - ageMs);
  const plan = await client.machine.prunePlan({ before });
  const isEmpty = plan.runs.length + plan.agents.length + plan.briefs.length === 0;
  if (isEmpty && !json)
    context.out(`Nothing to delete: no files of runs that ended more than ${olderThan} ago.\n`);
  if (!isEmpty && !json) context.out(formatPlan(context, plan));
  if (isEmpty || dryRun) {
    if (json) printJson(context, pruneDocument(plan, null));
    return EXIT.ok;
  }
  const asks = !yes && !json && context.terminal.isTty && process.stdin.isTTY;
  if (asks) await requireYesAtTerminal(context, 'Delete all of these files?', UNDONE);
  else if (!yes) {
    if (json)
      printJson(
        context,
        pruneDocument(plan, null, simpleError('usage.invalid', UNDONE, DELETE_WITH)),
      );
    else context.err(`${UNDONE} ${DELETE_WITH}\n`);
    return EXIT.usage;
  }
  const pruned = await client.machine.prune({ before });
  if (json) printJson(context, pruneDocument(plan, pruned, remainingError(pruned)));
  else context.out(formatPruned(context, pruned));
  return pruned.remaining.length === 0 ? EXIT.ok : EXIT.failed;
}

const UNDONE = 'Nothing was deleted.';
const DELETE_WITH = 'To delete these files, add --yes.';

function remainingError({ remaining }: Pruned): ErrorFields | null {
  const [first] = remaining;
  if (first === undefined) return null;
  const message = `${plural(remaining.length, 'file or folder was', 'files or folders were')} not deleted, such as ${first.path}: ${first.why}`;
  return simpleError('workspace.not-deleted', message, null);
}

const KINDS: Readonly<Record<LeftoverKind, readonly [one: string, many: string]>> = {
  workspace: ['workspace', 'workspaces'],
  home: ["agent's home", "agents' homes"],
  output: ['output with recorded model calls', 'outputs with recorded model calls'],
  brief: ['brief', 'briefs'],
};
/** More rows would scroll the total out of sight. */
const RUNS_SHOWN = 20;

type Row = Pick<PrunePlan['agents'][number], 'run' | 'task' | 'leftovers'>;

function formatPlan(context: CliContext, { runs, agents, briefs, bytes }: PrunePlan): string {
  const row = ({ run, task, leftovers }: Row, what: string): string => {
    const size = formatBytes(leftovers.reduce((sum, one) => sum + one.bytes, 0)).padStart(9);
    const title = oneLine(printable(task));
    const { isTty, width } = context.terminal;
    const room = width - `${run} ${size}  ${what}  `.length;
    const shown = isTty ? cutToWidth(title, room) : title;
    return `${paint(context, 'cyan', run)} ${size}  ${what}  ${shown}\n`;
  };
  const rows = [
    ...runs.map((one) =>
      row(one, `ended ${formatDuration(context.clock.now() - one.endedAt).padStart(7)} ago`),
    ),
    ...agents.map((one) => row(one, plural(one.lives, 'earlier life', 'earlier lives').padEnd(17))),
  ];
  const shown = rows.slice(0, RUNS_SHOWN);
  const more =
    rows.length > RUNS_SHOWN ? `and ${plural(rows.length - RUNS_SHOWN, 'more run')}\n` : '';
  const all = [...[...runs, ...agents].flatMap(({ leftovers }) => leftovers), ...briefs];
  const kinds = Object.entries(KINDS).map(([kind, [one, many]]) => {
    const found = all.filter((leftover) => leftover.kind === kind);
    return `${plural(found.length, one, many)} (${formatBytes(found.reduce((sum, { bytes: size }) => sum + size, 0))})`;
  });
  return `${shown.join('')}${more}Total ${formatBytes(bytes)}: ${kinds.join(', ')}. The work is kept on its refs.\n`;
}

function formatPruned(
  context: CliContext,
  { runs, agents, briefs, bytes, remaining }: Pruned,
): string {
  const kept = remaining.map(
    ({ path, why }) =>
      `${paint(context, 'yellow', 'not deleted')} ${printable(path)}: ${printable(why)}\n`,
  );
  const whose =
    agents === 0 ? plural(runs, 'run') : `${plural(runs, 'run')}, ${plural(agents, 'agent')}`;
  return `${kept.join('')}${paint(context, 'green', 'deleted')} ${formatBytes(bytes)} of ${whose} and ${plural(briefs, 'brief')}\n`;
}

function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [size, unit] = [bytes, 0];
  for (; size >= 1000 && unit < units.length - 1; unit += 1) size /= 1000;
  return `${size < 10 && unit > 0 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

function invalidDuration(written: string): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `Invalid duration for --older-than: ${written}.`,
    hint: 'Use a whole number with a unit, such as 90m, 24h or 7d.',
  });
}
