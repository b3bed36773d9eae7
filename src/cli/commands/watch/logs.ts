import type { Command } from 'commander';
import { Option } from 'commander';
import { Refusal } from '../../../base/errors.ts';
import type { CliContext } from '../../cli-context.ts';
import { printable, paint } from '../../cli-context.ts';
import type { OwnerConnection } from '../../connect-owner.ts';
import { connectOwner } from '../../connect-owner.ts';
import { LAST_RUN, RUN_ARGUMENT, findRun } from '../../runs/find-runs.ts';
import type { CommandEnding } from '../../command-line.ts';
import { formatClockTime } from '../../../base/format-time.ts';
import { isRecord, parseJson } from '../../../base/json.ts';
import type { OutputChunk } from '../../../protocol/api.ts';
import { modelCallDocument } from '../../../public-json/model-call-document.ts';
import { logsDocument } from '../../../public-json/reading-documents.ts';
import { describeStepLogs } from '../../format/step-logs.ts';
import { wholeNumber } from '../../options.ts';
import { OutputPlace } from '../../input/output-place.ts';
import { printJson } from '../../json/print-json.ts';
import { followOn, lineReconnect } from '../../watch/reconnect.ts';

type Options = {
  readonly follow: boolean;
  readonly raw: boolean;
  readonly calls: boolean;
  readonly limit?: number;
  readonly tail?: number;
  readonly json: boolean;
};

export function addLogs(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('logs')
    .description("Show what a run's agents said and did")
    .argument('[run]', RUN_ARGUMENT, LAST_RUN)
    .option('-f, --follow', 'keep showing new output until the run ends', false)
    .option('--raw', 'print the output as the agents wrote it, with its control characters', false)
    .option('--calls', 'show the recorded model calls instead; complete with --json', false)
    .option(
      '-n, --limit <count>',
      'show only the last lines, or with --json and --calls the last objects',
      wholeNumber,
    )
    // The name that people know from other tools.
    .addOption(new Option('--tail <count>').argParser(wholeNumber).hideHelp())
    .option('--json', 'print one JSON object per piece of output, or per call', false)
    .addHelpText(
      'after',
      '\nExamples:\n  supervisor logs d86c57e7ac --follow\n  supervisor logs -n 20\n  supervisor logs d86c57e7ac --calls',
    )
    .action(async (reference: string, { follow, raw, calls, json, limit, tail }: Options) => {
      const count = limit ?? tail;
      if (follow && count !== undefined) throw contradiction();
      await using connection = await connectOwner(context);
      const left = new AbortController();
      const leave = (): void => left.abort();
      const forget = [context.onInterrupt(leave), context.onReaderGone(leave)];
      try {
        const id = await findRun(context, connection.client, reference);
        if (calls) {
          for await (const line of lastOf(
            callLines(connection.client.output.calls(id, left.signal)),
            count,
          ))
            showCall(context, id, line, json);
          return finish(0);
        }
        const { client } = connection;
        const read = (): AsyncIterable<OutputChunk> =>
          raw
            ? client.output.raw(id, { follow }, left.signal)
            : client.output.text(id, { follow }, left.signal);
        const chunks = follow ? followOutput(context, connection, read, left.signal) : read();
        const pieces = json || count === undefined ? chunks : outputLines(chunks);
        const show = raw ? showRaw : showSections();
        let isSilent = true;
        for await (const chunk of lastOf(pieces, count)) {
          isSilent = false;
          if (json) printJson(context, logsDocument(id, chunk));
          else show(context, chunk);
        }
        // What is piped or followed as data stays that of this run alone.
        if (!json && !raw) {
          const { workflow, endedAt } = await client.run(id);
          const steps = describeStepLogs(workflow);
          for (const line of steps) context.out(`${printable(line)}\n`);
          if (isSilent && steps.length === 0) context.err(describeSilence(id, endedAt !== null));
        }
        finish(0);
      } finally {
        for (const one of forget) one();
      }
    });
}

function describeSilence(id: string, isEnded: boolean): string {
  return isEnded
    ? `Run ${id} has printed nothing. To see why: supervisor why ${id}\n`
    : `Run ${id} has printed nothing yet. To see what it does: supervisor status ${id}\n`;
}

/** Each piece of output once, whichever owner sends it. */
async function* followOutput(
  context: CliContext,
  connection: OwnerConnection,
  read: () => AsyncIterable<OutputChunk>,
  signal: AbortSignal,
): AsyncGenerator<OutputChunk, void> {
  const place = new OutputPlace();
  const open = (): AsyncIterable<OutputChunk> => {
    place.rewind();
    return read();
  };
  const reconnect = await lineReconnect(context, connection);
  for await (const chunk of followOn(context, reconnect, open, signal)) {
    const rest = place.take(chunk);
    if (rest !== undefined) yield rest;
  }
}

/** As the agents wrote it: each stream on its own. */
function showRaw(context: CliContext, { stream, text }: OutputChunk): void {
  (stream === 'stderr' ? context.err : context.out)(text, 'verbatim');
}

/**
 * Both streams go to standard output, because a pipe or a pager takes only that. What each agent, gate and setup
 * printed is a section.
 */
function showSections(): (context: CliContext, chunk: OutputChunk) => void {
  let section: string | undefined;
  let isLineOpen = false;
  return (context, { key, title, text }) => {
    if (title !== undefined && key !== section) {
      section = key;
      const heading = `── ${printable(title)} ──`;
      context.out(`${isLineOpen ? '\n' : ''}${paint(context, 'bold', heading)}\n`);
      isLineOpen = false;
    }
    context.out(printable(text));
    isLineOpen = text === '' ? isLineOpen : !text.endsWith('\n');
  };
}

function contradiction(): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: '--follow shows all output, so it cannot be used with --limit.',
    hint: 'Leave out one of them.',
  });
}

/** The last `count` values, or all of them. */
async function* lastOf<Value>(
  values: AsyncIterable<Value>,
  count: number | undefined,
): AsyncGenerator<Value, void> {
  if (count === undefined) {
    yield* values;
    return;
  }
  const last: Value[] = [];
  for await (const value of values) {
    last.push(value);
    if (last.length > count) last.shift();
  }
  yield* last;
}

/** Each line as a piece of its own, with its line end. A line can come in several chunks of one stream. */
async function* outputLines(chunks: AsyncIterable<OutputChunk>): AsyncGenerator<OutputChunk, void> {
  let open: OutputChunk | undefined;
  for await (const chunk of chunks) {
    const isSame = open?.key === chunk.key && open.stream === chunk.stream;
    if (open !== undefined && !isSame) yield open;
    const lines = `${isSame ? (open?.text ?? '') : ''}${chunk.text}`.split(/(?<=\n)/);
    const rest = lines.at(-1)?.endsWith('\n') === false ? lines.pop() : undefined;
    for (const text of lines) if (text !== '') yield { ...chunk, text };
    open = rest === undefined || rest === '' ? undefined : { ...chunk, text: rest };
  }
  if (open !== undefined) yield open;
}

/** As JSON, a line that was cut off when its process died is left out. */
function showCall(context: CliContext, run: string, line: string, json: boolean): void {
  if (!json) return context.out(formatCall(context, line));
  const call = modelCallDocument(run, line);
  if (call !== undefined) printJson(context, call);
}

/** The lines of an output that arrives in chunks. */
async function* callLines(chunks: AsyncIterable<OutputChunk>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const { text } of chunks) {
    const [last = '', ...whole] = (rest + text).split('\n').toReversed();
    yield* whole.toReversed().filter((line) => line !== '');
    rest = last;
  }
  if (rest !== '') yield rest;
}

/** A recorded model call as one line. */
function formatCall(context: CliContext, line: string): string {
  const record = parseJson(line);
  if (!isRecord(record) || !isRecord(record['call'])) return `${printable(line)}\n`;
  const { call, at, end, status, requestChars, answer } = record;
  const when = formatClockTime(Number(at), context.clock.now());
  const { usage = null, stop = null, calls = [] } = isRecord(answer) ? answer : {};
  const tokens = isRecord(usage)
    ? `${String(usage['inputTokens'])} tokens in, ${String(usage['outputTokens'])} out`
    : `${String(requestChars)} characters in`;
  const tools = Array.isArray(calls)
    ? calls.map((tool: unknown) => (isRecord(tool) ? String(tool['name']) : '?'))
    : [];
  const parts = [
    `${String(call['kind'])} ${String(call['model'])}`,
    `${typeof status === 'number' ? status : 'no answer'} ${String(end)}`,
    tokens,
    ...(tools.length > 0 ? [`asks for ${tools.join(', ')}`] : []),
    ...(typeof stop === 'string' ? [stop] : []),
  ];
  return `${paint(context, 'dim', when)}  ${printable(parts.join('  ')).replaceAll('\n', ' ')}\n`;
}
