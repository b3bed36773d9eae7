import { plural } from '../../../base/text.ts';
import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import type { Client } from '../../../client/client.ts';
import type { StoredEvent } from '../../../protocol/event.ts';
import { isRunEvent, runOfStream } from '../../../protocol/streams.ts';
import { eventDocument } from '../../../public-json/event-data.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint } from '../../cli-context.ts';
import type { OwnerConnection } from '../../connect-owner.ts';
import { connectOwner } from '../../connect-owner.ts';
import { findRun } from '../../runs/find-runs.ts';
import { eventText, formatEvent } from '../../format/event-line.ts';
import { StepNames } from '../../format/step-names.ts';
import { listLimit, wholeNumber } from '../../options.ts';
import { jsonLine } from '../../json/print-json.ts';
import { followOn, lineReconnect } from '../../watch/reconnect.ts';
import type { CommandEnding } from '../../command-line.ts';

type Options = {
  readonly run?: string;
  readonly follow: boolean;
  readonly json: boolean;
  readonly raw: boolean;
  /** Absent: the newest events. */
  readonly after?: number;
  /** Absent: with --follow all events, without it so many as a screen can use. */
  readonly limit?: number;
};

const PAGE = 500;
/** More than fits on any screen, and still fast to read. */
const SHOWN = 10_000;

export function addEvents(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('events')
    .description('Show the events of the journal, in order')
    .option(
      '--run <run>',
      'show only the events of this run, and its notifications: an id, its beginning, last, or a name',
    )
    .option('-f, --follow', 'keep showing new events as they come', false)
    .option(
      '-n, --limit <count>',
      'show only the last events; with --after the first ones after it (default: 10000)',
      listLimit,
    )
    .option(
      '--after <number>',
      'show only events after this id (with --run: after this seq), oldest first',
      wholeNumber,
    )
    .option('--json', 'print one JSON object per line', false)
    .option('--raw', 'print the facts as the journal stores them, in its internal format', false)
    .addHelpText('after', HELP)
    .action(async (given: Options) => {
      await using connection = await connectOwner(context);
      const options =
        given.run === undefined
          ? given
          : { ...given, run: await findRun(context, connection.client, given.run) };
      const left = new AbortController();
      const leave = (): void => left.abort();
      const forget = [context.onInterrupt(leave), context.onReaderGone(leave)];
      try {
        const names = new StepNames((page) => connection.client.events(page));
        let last: StoredEvent | undefined;
        let shown = 0;
        for await (const event of select(context, connection, options, left.signal)) {
          const isFull = shown === (options.limit ?? SHOWN);
          if (isFull && !options.follow && options.after !== undefined) {
            reportMore(context, options, last);
            break;
          }
          shown += 1;
          // A notification has a number in another stream.
          if (options.run === undefined || isRunEvent(event)) last = event;
          const isData = options.json || options.raw;
          const named = options.raw ? event : await names.named(event);
          context.out(show(context, event, named, options), isData ? 'verbatim' : undefined);
        }
        finish(0);
      } finally {
        for (const one of forget) one();
      }
    });
}

const HELP = `
Examples:
  supervisor events -n 20
  supervisor events --run last --follow`;

/** Printed to standard error, so that standard output contains only events. */
function reportMore(context: CliContext, options: Options, last: StoredEvent | undefined): void {
  const after = options.run === undefined ? last?.id : last?.seq;
  const count = plural(options.limit ?? SHOWN, 'event');
  context.err(
    `There are more than ${count}. Show the next ones with: ${commandAfter(options, after ?? 0)}\n`,
  );
}

function reportOlder(context: CliContext, options: Options, count: number): void {
  context.err(
    `Only the last ${plural(count, 'event is', 'events are')} shown. Show all from the first with: ${commandAfter(options, 0)}\n`,
  );
}

function commandAfter({ run }: Options, after: number): string {
  return `supervisor events${run === undefined ? '' : ` --run ${run}`} --after ${after}`;
}

/** `named`: the same event with the names that a person knows. The data of JSON has the keys of the journal. */
function show(
  context: CliContext,
  event: StoredEvent,
  named: StoredEvent,
  { json, raw }: Options,
): string {
  if (raw) return `${JSON.stringify(event)}\n`;
  return json ? jsonLine(eventDocument(event, eventText(named))) : line(context, named);
}

function line(context: CliContext, event: StoredEvent): string {
  const run = runOfStream(event.stream) ?? event.stream;
  return `${paint(context, 'dim', String(event.id).padStart(6))} ${paint(context, 'cyan', run.padEnd(10))} ${formatEvent(context, event, 'clock')}`;
}

async function* select(
  context: CliContext,
  connection: OwnerConnection,
  options: Options,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent, void> {
  const { client } = connection;
  const { run, follow, limit } = options;
  if (run !== undefined) await client.run(run); // refuses a run that does not exist
  if (!follow && options.after === undefined) return yield* newest(context, client, options);
  const isLast = follow && limit !== undefined && options.after === undefined;
  const after = isLast ? await placeBefore(client, run, limit) : (options.after ?? 0);
  if (follow) yield* followEvents(context, connection, { run, after }, signal);
  else if (run === undefined) yield* pages(client, run, after, signal);
  else yield* merge(pages(client, run, after, signal), await notifications(client, run, after));
}

/** Each event once, whichever owner sends it. */
async function* followEvents(
  context: CliContext,
  connection: OwnerConnection,
  { run, after }: { readonly run: string | undefined; readonly after: number },
  signal: AbortSignal,
): AsyncGenerator<StoredEvent, void> {
  const { client } = connection;
  let seen = after;
  const open = (): AsyncIterable<StoredEvent> =>
    run === undefined ? client.followAll(seen, signal) : client.followRun(run, seen, signal);
  const reconnect = await lineReconnect(context, connection);
  for await (const event of followOn(context, reconnect, open, signal)) {
    seen = run === undefined ? event.id : event.seq;
    yield event;
  }
}

/** The last events, oldest first. */
async function* newest(
  context: CliContext,
  client: Client,
  options: Options,
): AsyncGenerator<StoredEvent, void> {
  const { run, limit = SHOWN } = options;
  const events = await client.events({ newest: true, limit, ...defined({ run }) });
  const others = run === undefined ? [] : await notifications(client, run, 0);
  const all = [...events, ...others].toSorted((one, other) => one.id - other.id);
  const shown = all.slice(-limit);
  const [first] = events;
  const isFirst = first === undefined || (run === undefined ? first.id : first.seq) === 1;
  if (all.length > shown.length || !isFirst) reportOlder(context, options, shown.length);
  yield* shown;
}

/** The place after which the last `count` events come. */
async function placeBefore(
  client: Client,
  run: string | undefined,
  count: number,
): Promise<number> {
  const [first] = await client.events({ newest: true, limit: count, ...defined({ run }) });
  if (first === undefined) return 0;
  return (run === undefined ? first.id : first.seq) - 1;
}

/** Those about the last event before `after` are recorded after it. */
async function notifications(
  client: Client,
  run: string,
  after: number,
): Promise<readonly StoredEvent[]> {
  const all = await client.notifications(run);
  return all.filter(
    ({ type, payload }) =>
      (type === 'notification.begun' || type === 'notification.ended') && payload.seq >= after,
  );
}

/** All events in the order in which they were recorded. */
async function* merge(
  events: AsyncIterable<StoredEvent>,
  others: readonly StoredEvent[],
): AsyncGenerator<StoredEvent, void> {
  let next = 0;
  for await (const event of events) {
    for (
      let other = others[next];
      other !== undefined && other.id < event.id;
      other = others[next]
    ) {
      yield other;
      next += 1;
    }
    yield event;
  }
  yield* others.slice(next);
}

async function* pages(
  client: Client,
  run: string | undefined,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent, void> {
  for (let after = from; !signal.aborted;) {
    const page = await client.events({ after, limit: PAGE, ...defined({ run }) });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = run === undefined ? last.id : last.seq;
  }
}
