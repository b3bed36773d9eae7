import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { Refusal } from '../../../base/errors.ts';
import { formatDuration } from '../../../base/format-duration.ts';
import { formatTime, withLocalTimes } from '../../../base/format-time.ts';
import { plural } from '../../../base/text.ts';
import { absentRefusal } from '../../../client/absent-home.ts';
import type { Client } from '../../../client/client.ts';
import { rejoinOwner } from '../../../client/rejoin-owner.ts';
import { FEATURE_PROGRAM } from '../../../protocol/feature.ts';
import type { RunQuery } from '../../../protocol/run-query.ts';
import {
  asksForEnded,
  isQueryTerm,
  matchesQuery,
  parseRunQuery,
} from '../../../protocol/run-query.ts';
import { asClaim, isClaim } from '../../../protocol/words/claimed-outcome.ts';
import { describeApplied } from '../../../protocol/views/applied-view.ts';
import { adviceToAnswerRun, questionWords } from '../../../protocol/views/question-words.ts';
import { openQuestions } from '../../../protocol/views/questions-of-run.ts';
import { ownSpending } from '../../../protocol/views/own-spending.ts';
import type { BreakerView } from '../../../protocol/breaker.ts';
import type { RunView } from '../../../protocol/views/run-view.ts';
import { statusText } from '../../../protocol/views/run-status.ts';
import type { StatusRow } from '../../../protocol/views/status-row.ts';
import { statusDocument, statusOf } from '../../../public-json/status-document.ts';
import { costWords } from '../../../reports/cost-words.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner, stateHome } from '../../connect-owner.ts';
import { RUNS_ARGUMENT, findRun } from '../../runs/find-runs.ts';
import { breakerLines } from '../../format/breaker-lines.ts';
import { limitLines } from '../../format/limit-lines.ts';
import { showChildren } from '../../watch/show-children.ts';
import { restLines } from '../../format/feature-run-text.ts';
import { showSteps } from '../../format/step-lines.ts';
import { formatStatusTable, paintState } from '../../format/status-table.ts';
import { describeSchedules } from '../../runs/next-schedules.ts';
import { describeUnfinished, findUnfinished } from '../../runs/needs-attention.ts';
import { listLimit } from '../../options.ts';
import { describeUnapplied, findUnapplied } from '../../apply/unapplied-work.ts';
import { jsonLine } from '../../json/print-json.ts';
import { statusDetails } from '../../runs/status-details.ts';
import { openTerminalNotice } from '../../watch/terminal-notice.ts';
import { watchText } from '../../watch/watch-text.ts';

type Options = {
  readonly all: boolean;
  readonly watch: boolean;
  readonly limit?: number;
  readonly json: boolean;
};

/** The default number of ended runs that are shown. */
const ENDED_SHOWN = 20;
/** All active runs are shown. This bounds the request. */
const OPEN_MAX = 1000;
/** A query looks at so many ended runs, newest first. */
const SEARCHED_MAX = 2000;

export function addStatus(program: Command, context: CliContext, finish: CommandEnding): void {
  statusCommand(program.command('status').aliases(['ps', 'ls']), context, finish);
}

/** Also used by `runs list`. */
export function statusCommand(command: Command, context: CliContext, finish: CommandEnding): void {
  command
    .description(
      'List the active runs and what needs you, the runs that a query selects, or show some in detail',
    )
    .argument('[runs or query...]', `${RUNS_ARGUMENT}; or a query, such as is:running project:shop`)
    .option('--all', 'list ended runs too, newest first', false)
    .option('-w, --watch', 'show the list again after every change, until q or Ctrl-C', false)
    .option(
      '-n, --limit <count>',
      'the maximum number of runs (default: all active runs; with --all also 20 ended runs)',
      listLimit,
    )
    .option('--json', 'print JSON; with --watch one line per change', false)
    .addHelpText('after', HELP)
    .action(async (words: readonly string[], options: Options) => {
      const query = words.some(isQueryTerm) ? parseQuery(words) : undefined;
      await using connection = await connectOwner(context);
      const { client } = connection;
      let listed: readonly StatusRow[] = [];
      const isWhole = words.length === 0 && !options.all && !options.json;
      const { isTty } = context.terminal;
      const show = async (): Promise<string> => {
        if (words.length > 0 && query === undefined)
          return showDetails(context, client, words, options.json);
        listed = await listRows(context, client, options, query);
        if (options.json) return jsonLine(statusDocument(listed.map((row) => statusOf(row))));
        const list =
          listed.length > 0 ? formatStatusTable(context, listed) : noRuns(query !== undefined);
        const ended = isWhole && isTty ? await describeEnded(context, client) : '';
        return ended === '' ? list : `${list}\n${ended}`;
      };
      if (options.watch) {
        if (connection.isAbsent === true) throw absentRefusal(stateHome(context));
        const { again } = connection;
        const rejoin = again && (await rejoinOwner(stateHome(context), again));
        using notice = await openTerminalNotice(context, !options.json);
        const showAndCall = async (): Promise<string> => {
          const text = await show();
          notice.show(listed.flatMap(({ view }) => openQuestions(view)));
          return text;
        };
        await watchText(context, showAndCall, { json: options.json, ...defined({ rejoin }) });
        return finish(0);
      }
      context.out(await show(), options.json ? 'verbatim' : undefined);
      // A script reads only the list.
      if (isWhole && !isTty) context.err(await describeEnded(context, client));
      if (words.length === 0 && connection.isAbsent !== true)
        await reportOmitted(context, client, options, listed);
      finish(0);
    });
}

/** The ended runs about which a person has to decide something, and the runs to come. */
async function describeEnded(context: CliContext, client: Client): Promise<string> {
  const now = context.clock.now();
  const parts = [
    describeUnfinished(context, await findUnfinished(client, now)),
    describeUnapplied(context, await findUnapplied(client, now)),
    describeSchedules(context, await client.machine.schedules()),
  ];
  return parts.filter((one) => one !== '').join('\n');
}

const HELP = `
A query is a list of terms, and a run is listed if all of them match. A minus before a term excludes, and commas
separate alternatives. With is:, failure: or since:, a query also looks at ended runs:

  is:STATE      running, cooling, awaiting_input, failed …; or needs-you, active, ended, working, waiting, done, bad
  project:NAME  agent:NAME  gate:NAME  task:WORD  reason:WORD  failure:limit
  id:DIGITS     gate:failed  cost:>1.50  age:>2h  since:yesterday

Examples:
  supervisor status is:running project:shop
  supervisor status is:bad age:<1d -agent:codex
  supervisor status last docs`;

/** The shell has removed quotation marks, so a word with spaces gets them back. */
function parseQuery(words: readonly string[]): RunQuery {
  const parsed = parseRunQuery(
    words.map((word) => (/\s/.test(word) && !word.includes('"') ? `"${word}"` : word)).join(' '),
  );
  if (parsed.kind === 'query') return parsed.query;
  throw new Refusal({ code: 'usage.invalid', message: parsed.message, hint: parsed.hint });
}

function noRuns(isQuery: boolean): string {
  return isQuery
    ? 'No run matches the query.\n'
    : 'No active runs. Start one with: supervisor run "…"\n';
}

async function showDetails(
  context: CliContext,
  client: Client,
  references: readonly string[],
  json: boolean,
): Promise<string> {
  const ids = await Promise.all(references.map((one) => findRun(context, client, one)));
  const rows = await Promise.all([...new Set(ids)].map((id) => client.statusOf(id)));
  if (!json) {
    const isWorkflow = rows.some(({ view }) => view.workflow !== null && view.endedAt === null);
    const breakers = isWorkflow ? await client.machine.breakers() : [];
    const details = rows.map(
      async (row) =>
        detail(context, row, breakers) +
        showSteps(context, row.view) +
        (await restOfFeature(client, row)) +
        (await others(context, client, row)),
    );
    return (await Promise.all(details)).join('\n');
  }
  const values = await Promise.all(rows.map((row) => statusDetails(client, row)));
  return jsonLine(statusDocument(values));
}

/** How long a feature may still take. */
async function restOfFeature(client: Client, { view }: StatusRow): Promise<string> {
  if (view.program !== FEATURE_PROGRAM || view.endedAt !== null) return '';
  const lines = restLines(await client.feature(view.id));
  return lines.map((line) => `\n${line}\n`).join('');
}

/** The runs of a workflow are listed with its steps. */
async function others(context: CliContext, client: Client, { view }: StatusRow): Promise<string> {
  return view.workflow === null ? showChildren(context, client, view) : '';
}

/** Active runs come first, even if they are old. */
async function listRows(
  context: CliContext,
  client: Client,
  { all, limit }: Options,
  query: RunQuery | undefined,
): Promise<readonly StatusRow[]> {
  const open = await client.status({
    ended: false,
    limit: query === undefined ? (limit ?? OPEN_MAX) : OPEN_MAX,
  });
  if (query !== undefined) {
    const ended =
      all || asksForEnded(query) ? await client.status({ ended: true, limit: SEARCHED_MAX }) : [];
    const now = context.clock.now();
    return [...open, ...ended]
      .filter((row) => matchesQuery(query, row, now))
      .slice(0, limit ?? OPEN_MAX);
  }
  const room = limit === undefined ? ENDED_SHOWN : limit - open.length;
  if (!all || room <= 0) return open;
  return [...open, ...(await client.status({ ended: true, limit: room }))];
}

/** Printed to standard error, so that standard output contains only the list. */
async function reportOmitted(
  context: CliContext,
  client: Client,
  { all, limit }: Options,
  rows: readonly StatusRow[],
): Promise<void> {
  const open = rows.filter(({ view }) => view.endedAt === null).length;
  const { runs, defects } = await client.machine.owner();
  const more = open < (limit ?? OPEN_MAX) ? 0 : runs - open;
  if (more > 0)
    context.err(
      `${plural(more, 'more active run is', 'more active runs are')} not shown. Show all with: --limit ${open + more}\n`,
    );
  if (all && rows.length - open === (limit ?? ENDED_SHOWN + open) - open)
    context.err('Older runs may not be shown. Show more with: --limit 10000\n');
  for (const { message, damaged } of defects)
    if (damaged === true) context.err(`${message} Supervisor can't show or continue this run.\n`);
}

function spentLines({ budget, quota, continues }: RunView): [string, string][] {
  const { assumed, before } = budget;
  const { unpricedCalls, ...spent } = ownSpending(budget);
  const left = quota?.windows.map(
    ({ name, usedPercent }) => `${name} ${Math.round(100 - usedPercent)}%`,
  );
  return [
    ...amountLine('spent', spent, unpricedCalls, ''),
    ...amountLine(
      ...(['of that', assumed, unpricedCalls] as const),
      ' at most, in calls that were cut off when the owner died',
    ),
    ...amountLine(
      ...(['before', before, before.unpricedCalls ?? 0] as const),
      ` by run ${continues ?? ''}, which it continues`,
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

function detail(context: CliContext, row: StatusRow, breakers: readonly BreakerView[]): string {
  const { view, reason, applied, resumedAs } = row;
  const now = context.clock.now();
  const lines: readonly (readonly [name: string, value: string])[] = [
    ['run', view.id],
    ['status', paintState(context, view, statusText(view))],
    ...optional('reason', view.outcome === null ? local(reason, now) : null),
    ['task', printable(view.task)],
    ['project', printable(view.project)],
    ...optional('parent', view.parent),
    ...optional('name', view.name),
    ...optional('agent', view.agent),
    ...optional('continues', view.continues),
    ...optional('resumed as', resumedAs ?? null),
    ['submitted', formatTime(view.submittedAt, now)],
    [
      'commands',
      `${view.begun} started, ${view.interrupted} interrupted, ${view.open.length} in progress`,
    ],
    ...view.open.map(({ key, begunAt }): [string, string] => [
      'current',
      `${key}, for ${formatDuration(now - begunAt)}`,
    ]),
    ...openQuestions(view).flatMap((asked) => optional('question', questionWords(view.id, asked))),
    ...optional('next', adviceToAnswerRun(view)),
    ...optional('messages', row.messages === undefined ? null : printable(row.messages)),
    ...optional('gate', view.gate === null ? null : `${view.gate.name}: ${view.gate.verdict}`),
    ...spentLines(view),
    ...limitLines(row, now),
    ...breakerLines(view, breakers, now).flatMap(([name, text]) => optional(name, text)),
    ...view.caveats.map((caveat): [string, string] => ['caveat', printable(caveat)]),
    ...optional('answer', view.answer === null ? null : JSON.stringify(view.answer).slice(0, 500)),
    ...optional('outcome', local(outcomeWords(view), now)),
    ...optional('applied', applied === null ? null : describeApplied(applied, now)),
  ];
  return lines
    .map(
      ([name, value]) =>
        `${paint(context, 'dim', name.padEnd(9))}  ${value.replaceAll('\n', `\n${' '.repeat(11)}`)}\n`,
    )
    .join('');
}

function outcomeWords(view: RunView): string | null {
  const reason = view.outcome?.reason ?? null;
  return reason !== null && isClaim(view) ? asClaim(reason) : reason;
}

function local(text: string | null, now: number): string | null {
  return text === null ? null : withLocalTimes(text, now);
}

function optional(name: string, value: string | null): readonly [string, string][] {
  return value === null ? [] : [[name, printable(value)]];
}
