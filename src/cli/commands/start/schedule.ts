/** Runs at set times: `supervisor schedule add "0 2 * * *" -- run "…"`. */
import { Option } from 'commander';
import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { formatDate, formatMoment, formatTime } from '../../../base/format-time.ts';
import { oneLine } from '../../../base/text.ts';
import type { RunRequest } from '../../../protocol/api.ts';
import type { MissedPolicy, ScheduleView } from '../../../protocol/views/schedule-view.ts';
import { MISSED_POLICIES } from '../../../protocol/views/schedule-view.ts';
import { schedulesDocument } from '../../../public-json/schedule-documents.ts';
import { askForTrust } from '../../ask/ask-trust.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { joinCells, layOutTable } from '../../format/text-table.ts';
import { projectDir } from '../../input/project-path.ts';
import { printJson } from '../../json/print-json.ts';
import { textOf } from '../../tasks/task-words.ts';
import { showPreflight } from '../../watch/show-preflight.ts';
import type { RunOptions } from './run-request.ts';
import { declareRun, readTask, runRequest, usageError } from './run-request.ts';

type AddOptions = {
  readonly name?: string;
  readonly missed: MissedPolicy;
  readonly timeZone?: string;
  readonly json: boolean;
};

export function addSchedule(program: Command, context: CliContext, finish: CommandEnding): void {
  const schedule = program
    .command('schedule')
    .description('Start a run at set times, such as every night at two')
    .addHelpText('after', HELP);
  schedule
    .command('list', { isDefault: true })
    .description('List the schedules: when each is due next, and what came of its last time')
    .option('--json', 'print JSON', false)
    .action(async ({ json }: { json: boolean }) => {
      await using connection = await connectOwner(context);
      const found = await connection.client.machine.schedules();
      if (json) printJson(context, schedulesDocument(found));
      else context.out(table(context, found));
      finish(EXIT.ok);
    });
  schedule
    .command('add')
    .description('Start a run each time that a cron expression names')
    .argument('<time>', 'minute, hour, day, month, weekday: "0 2 * * *" is every night at two')
    .argument('<command...>', 'behind --, the run as you would type it: run "…" --agent main')
    .option('--name <name>', 'its name; otherwise schedule-1, schedule-2 and so on')
    .addOption(
      new Option('--missed <policy>', 'a time at which no owner ran: run once later, or skip it')
        .choices(MISSED_POLICIES)
        .default('run'),
    )
    .option('--time-zone <zone>', 'such as Europe/Berlin; otherwise that of this machine')
    .option('--json', 'print the schedule as JSON', false)
    .action(async (time: string, words: readonly string[], options: AddOptions, command: Command) =>
      finish(await add(context, { time, words, command }, options)),
    );
  schedule
    .command('remove')
    .description('Remove a schedule; a run that it has started continues')
    .argument('<name>', 'its name, as the list shows it')
    .option('--json', 'print the removed schedule as JSON', false)
    .action(async (name: string, { json }: { json: boolean }) => {
      await using connection = await connectOwner(context);
      const removed = await connection.client.machine.removeSchedule(name);
      if (json) printJson(context, schedulesDocument([removed]));
      else context.out(`Schedule ${paint(context, 'cyan', printable(name))} is removed.\n`);
      finish(EXIT.ok);
    });
}

const HELP = `
A time counts in its time zone. One that clocks skip in spring is due when they have moved; one that exists twice
in autumn is due once. If the last run of a schedule still works, the next time is skipped.

Examples:
  supervisor schedule add "0 2 * * *" -- run "update the dependencies" --gate "npm test"
  supervisor schedule add "0 6 * * 1-5" --name review --missed skip -- run "review yesterday" --role reviewer
  supervisor schedule
  supervisor schedule remove review`;

type Added = {
  readonly time: string;
  readonly words: readonly string[];
  readonly command: Command;
};

async function add(
  context: CliContext,
  { time, words, command }: Added,
  { name, missed, timeZone, json }: AddOptions,
): Promise<number> {
  const run = await parseRun(context, words, command);
  const zone = timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  await using connection = await connectOwner(context, { creates: true });
  const { client } = connection;
  const found = await client.preflight(run);
  if (!found.ok) {
    const closing = 'A run could not begin, so nothing is scheduled.';
    return showPreflight(context, found, { json, closing });
  }
  const request = { cron: time, timeZone: zone, missed, run, ...defined({ name }) };
  const added = await client.addSchedule(request);
  if (json) printJson(context, schedulesDocument([added]));
  else context.out(describeAdded(context, added));
  return EXIT.ok;
}

/** The request of the run behind `--`. */
async function parseRun(
  context: CliContext,
  [first = '', ...words]: readonly string[],
  command: Command,
): Promise<RunRequest> {
  if (first !== 'run')
    throw usageError(
      `${JSON.stringify(first)} can't be scheduled: only run can.`,
      'Write: supervisor schedule add "0 2 * * *" -- run "fix the failing test"',
    );
  const run = declareRun(command.createCommand('run').copyInheritedSettings(command));
  run.parse([...words], { from: 'user' });
  const options = run.opts<RunOptions>();
  refuseWatching(run);
  const task = await readTask(context, textOf(run, run.args));
  const project = projectDir(context, options.project);
  const trust = await askForTrust(context, project, options);
  // No command waits for the end of the run, so its notification needs no conclusion.
  const { concludes: _, ...request } = runRequest(context, { task, project, trust }, options);
  return request;
}

/** What only a command that watches the run can do. */
const WATCHING = [
  'interactive',
  ...['apply', 'commit', 'foreground', 'follow', 'preflightOnly', 'verbose', 'quiet'],
  ...['json', 'jsonStream', 'idempotencyKey'],
];

function refuseWatching(run: Command): void {
  const wrong = WATCHING.find((name) => run.getOptionValueSource(name) === 'cli');
  if (wrong === undefined) return;
  const flag = run.options.find((option) => option.attributeName() === wrong)?.long ?? wrong;
  throw usageError(
    `${flag} can't be scheduled: no command watches the run.`,
    `Omit ${flag}. After the run: supervisor status, supervisor apply RUN`,
  );
}

function describeAdded(context: CliContext, { name, nextAt, timeZone }: ScheduleView): string {
  const now = context.clock.now();
  const next = nextAt === null ? 'never' : `${formatDate(nextAt)} (${formatTime(nextAt, now)})`;
  const title = `Schedule ${paint(context, 'cyan', printable(name))} is due next: ${next}`;
  const advice =
    'To have an owner then, also after a restart of this machine: supervisor up --install';
  return `${title}. Its zone is ${timeZone}.\n${paint(context, 'dim', advice)}\n`;
}

function table(context: CliContext, schedules: readonly ScheduleView[]): string {
  if (schedules.length === 0)
    return 'No run starts at a set time. Add one with: supervisor schedule add "0 2 * * *" -- run "…"\n';
  const now = context.clock.now();
  const rows = schedules.map((one) => [
    printable(one.name),
    one.nextAt === null ? 'never' : formatDate(one.nextAt),
    `${printable(one.cron)} ${printable(one.timeZone)}`,
    lastWords(one, now),
    oneLine(printable(one.task)),
  ]);
  const columns = [
    { title: 'name', least: 8 },
    { title: 'next' },
    { title: 'time', least: 10 },
    { title: 'last', least: 10 },
    { title: 'task', least: 12 },
  ];
  const { head, rows: cells } = layOutTable(context.terminal, columns, rows);
  return [paint(context, 'bold', joinCells(head)), ...cells.map(joinCells)]
    .map((text) => `${text.trimEnd()}\n`)
    .join('');
}

function lastWords({ last }: ScheduleView, now: number): string {
  if (last === null) return '';
  const { due, result, run, why } = last;
  const when = formatMoment(due, now);
  switch (result) {
    case 'started':
      return `${when}: run ${run ?? ''}`;
    case 'refused':
      return `${when}: refused: ${oneLine(printable(why ?? ''))}`;
    case 'missed':
      return `${when}: missed`;
    case 'still-running':
      return `${when}: skipped, run ${run ?? ''} still works`;
  }
}
