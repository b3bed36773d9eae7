import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { printable, paint } from '../cli-context.ts';
import { connectOwner } from '../connect-owner.ts';
import { LAST_RUN, RUN_ARGUMENT, findRun } from '../find-runs.ts';
import type { CommandEnding } from '../command-line.ts';
import { formatClockTime } from '../../base/format-time.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import type { OutputChunk } from '../../protocol/api.ts';
import { modelCallDocument } from '../../public-json/model-call-document.ts';
import { logsDocument } from '../../public-json/reading-documents.ts';
import { jsonLine, printJson } from '../print-json.ts';

type Options = {
  readonly follow: boolean;
  readonly raw: boolean;
  readonly calls: boolean;
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
    .option('--json', 'print one JSON object per piece of output, or per call', false)
    .addHelpText(
      'after',
      '\nExamples:\n  supervisor logs d86c57e7ac --follow\n  supervisor logs d86c57e7ac --calls',
    )
    .action(async (reference: string, { follow, raw, calls, json }: Options) => {
      await using connection = await connectOwner(context);
      const left = new AbortController();
      const forget = context.onInterrupt(() => left.abort());
      try {
        const id = await findRun(context, connection.client, reference);
        if (calls) {
          for await (const line of callLines(connection.client.output.calls(id, left.signal)))
            context.out(json ? callJson(id, line) : formatCall(context, line));
          return finish(0);
        }
        const { client } = connection;
        const chunks = raw
          ? client.output.raw(id, { follow }, left.signal)
          : client.output.text(id, { follow }, left.signal);
        for await (const chunk of chunks) {
          if (json) printJson(context, logsDocument(id, chunk));
          else
            (chunk.stream === 'stderr' ? context.err : context.out)(
              raw ? chunk.text : printable(chunk.text),
            );
        }
        finish(0);
      } finally {
        forget();
      }
    });
}

/** A line that was cut off when its process died is left out. */
function callJson(run: string, line: string): string {
  const call = modelCallDocument(run, line);
  return call === undefined ? '' : jsonLine(call);
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
