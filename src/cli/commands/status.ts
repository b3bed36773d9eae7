import { plural } from '../../base/text.ts';
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { RunArtifacts } from '../../protocol/api.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { runStatus, statusText } from '../../protocol/views/run-view.ts';
import { costWords } from '../../reports/cost-words.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { wholeNumber } from '../options.ts';
import { connectOwner } from '../connect-owner.ts';
import { RUN_ARGUMENT, findRun } from '../find-runs.ts';
import { formatDuration } from '../../base/format-duration.ts';
import type { CommandEnding } from '../command-line.ts';

type Options = { readonly all: boolean; readonly limit?: number; readonly json: boolean };

/** The default number of ended runs that are shown. */
const ENDED_SHOWN = 20;
/** All active runs are shown. This bounds the request. */
const OPEN_MAX = 1000;

export function addStatus(program: Command, context: CliContext, finish: CommandEnding): void {
  statusCommand(program.command('status').aliases(['ps', 'ls']), context, finish);
}

/** Also used by `runs list`. */
export function statusCommand(command: Command, context: CliContext, finish: CommandEnding): void {
  command
    .description('List the active runs, or show one run')
    .argument('[run]', RUN_ARGUMENT)
    .option('--all', 'list ended runs too, newest first', false)
    .option(
      '-n, --limit <count>',
      'the maximum number of runs (default: all active runs; with --all also 20 ended runs)',
      wholeNumber,
    )
    .option('--json', 'print JSON', false)
    .action(async (reference: string | undefined, options: Options) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const id = reference === undefined ? undefined : await findRun(context, client, reference);
      const views = id === undefined ? await listRuns(client, options) : [await client.run(id)];
      if (options.json) {
        const artifacts = id === undefined ? undefined : (await client.artifacts(id)).files;
        context.out(`${JSON.stringify(withStatus(views, artifacts))}\n`);
      }
      if (!options.json)
        context.out(id === undefined ? table(context, views) : detail(context, views));
      if (id === undefined) {
        await reportOmitted(context, client, options, views);
        for (const { message, damaged } of (await client.owner()).defects)
          if (damaged === true)
            context.err(`${message} Supervisor can't show or continue this run.\n`);
      }
      finish(0);
    });
}

/** As wide as `retrying (attempt 10)`. */
const STATUS_WIDTH = 21;
const WORKING: ReadonlySet<string> = new Set([
  'queued',
  'preparing',
  'running',
  'verifying',
  'finalizing',
]);
const WAITING: ReadonlySet<string> = new Set([
  'waiting',
  'cooling',
  'retrying',
  'stopping',
  'awaiting_input',
  'paused',
]);

/** Active runs come first, even if they are old. */
async function listRuns(client: Client, { all, limit }: Options): Promise<readonly RunView[]> {
  const open = await client.runs({ ended: false, limit: limit ?? OPEN_MAX });
  const room = limit === undefined ? ENDED_SHOWN : limit - open.length;
  if (!all || room <= 0) return open;
  return [...open, ...(await client.runs({ ended: true, limit: room }))];
}

/** Printed to standard error, so that standard output contains only the list. */
async function reportOmitted(
  context: CliContext,
  client: Client,
  { all, limit }: Options,
  views: readonly RunView[],
): Promise<void> {
  const open = views.filter(({ endedAt }) => endedAt === null).length;
  const more = open < (limit ?? OPEN_MAX) ? 0 : (await client.owner()).runs - open;
  if (more > 0)
    context.err(
      `${plural(more, 'more active run is', 'more active runs are')} not shown. Show all with: --limit ${open + more}\n`,
    );
  if (all && views.length - open === (limit ?? ENDED_SHOWN + open) - open)
    context.err('Older runs may not be shown. Show more with: --limit 10000\n');
}

function withStatus(
  views: readonly RunView[],
  artifacts: RunArtifacts['files'] | undefined,
): unknown {
  const rows = views.map((view) => ({ status: statusText(view), ...view }));
  return artifacts === undefined ? rows : { ...rows[0], artifacts };
}

function table(context: CliContext, views: readonly RunView[]): string {
  if (views.length === 0) return 'No active runs. Start one with: supervisor run "…"\n';
  return views.map((view) => `${row(context, view)}\n`).join('');
}

function row(context: CliContext, view: RunView): string {
  const age = formatDuration((view.endedAt ?? context.clock.now()) - view.submittedAt).padStart(6);
  const used = view.id.length + STATUS_WIDTH + age.length + 5;
  const task = printable(view.task)
    .replaceAll('\n', ' ')
    .slice(0, Math.max(10, context.terminal.width - used));
  return `${paint(context, 'cyan', view.id)}  ${mark(context, view, STATUS_WIDTH)} ${age}  ${task}`;
}

function mark(context: CliContext, view: RunView, width = 0): string {
  const status = runStatus(view);
  const shown = statusText(view).padEnd(width);
  if (status === 'succeeded' || status === 'unverified') return paint(context, 'green', shown);
  if (WORKING.has(status)) return shown;
  return paint(context, WAITING.has(status) ? 'yellow' : 'red', shown);
}

function caveatLines({ caveats }: RunView): [string, string][] {
  return caveats.map((caveat) => ['caveat', printable(caveat)]);
}

function spentLines({ budget, quota }: RunView): [string, string][] {
  const { spent, assumed, before, unpricedCalls } = budget;
  const left = quota?.windows.map(
    ({ name, usedPercent }) => `${name} ${Math.round(100 - usedPercent)}%`,
  );
  return [
    ...amountLine('spent', spent, unpricedCalls, ''),
    ...amountLine('of that', before, unpricedCalls, ' by the run that it continues'),
    ...amountLine(
      ...(['of that', assumed, unpricedCalls] as const),
      ' at most, in calls that were cut off when the owner died',
    ),
    ...(unpricedCalls === 0 || spent.calls === 0
      ? []
      : [['price', `unknown for ${unpricedCalls} of ${spent.calls} calls`] as [string, string]]),
    ...(quota === null || left === undefined || left.length === 0
      ? []
      : [['left', `${left.join(', ')} (${quota.status})`] as [string, string]]),
  ];
}

function amountLine(
  label: string,
  { usd, tokens, calls }: RunView['budget']['spent'],
  unpricedCalls: number,
  what: string,
): [string, string][] {
  if (calls === 0) return [];
  const cost = costWords({ usd, isPartial: unpricedCalls > 0 });
  return [[label, `${cost}, ${plural(tokens, 'token')}, ${plural(calls, 'call')}${what}`]];
}

function detail(context: CliContext, views: readonly RunView[]): string {
  return views
    .map((view) => {
      const lines: [string, string][] = [
        ['run', view.id],
        ['status', mark(context, view)],
        ['task', printable(view.task)],
        ['project', printable(view.project)],
        ['submitted', new Date(view.submittedAt).toISOString()],
        [
          'commands',
          `${view.begun} started, ${view.interrupted} interrupted, ${view.open.length} in progress`,
        ],
        ...view.open.map(({ key, begunAt }): [string, string] => [
          'current',
          `${key}, for ${formatDuration(context.clock.now() - begunAt)}`,
        ]),
        ...view.open.flatMap(({ question }): [string, string][] =>
          question === undefined ? [] : [['question', printable(question)]],
        ),
        ...spentLines(view),
        ...caveatLines(view),
        ...(view.answer === null
          ? []
          : [['answer', printable(JSON.stringify(view.answer)).slice(0, 500)] as [string, string]]),
        ...(view.outcome === null
          ? []
          : [['outcome', printable(view.outcome.reason)] as [string, string]]),
      ];
      return lines
        .map(([name, value]) => `${paint(context, 'dim', name.padEnd(10))} ${value}\n`)
        .join('');
    })
    .join('');
}
