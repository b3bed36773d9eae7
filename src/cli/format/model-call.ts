/** A recorded model call as one line for a person. */
import { isRecord, parseJson } from '../../base/json.ts';
import type { OutputChunk } from '../../protocol/api.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

/** The lines of what comes in pieces. */
export async function* callLines(pieces: AsyncIterable<OutputChunk>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const { text } of pieces) {
    const [last = '', ...whole] = (rest + text).split('\n').toReversed();
    yield* whole.toReversed().filter((line) => line !== '');
    rest = last;
  }
  if (rest !== '') yield rest;
}

export function formatCall(context: CliContext, line: string): string {
  const record = parseJson(line);
  if (!isRecord(record) || !isRecord(record['call'])) return `${printable(line)}\n`;
  const { call, at, end, status, requestChars, answer } = record;
  const when = new Date(Number(at)).toISOString().slice(11, 19);
  const { usage = null, stop = null, calls = [] } = isRecord(answer) ? answer : {};
  const tokens = isRecord(usage)
    ? `${String(usage['inputTokens'])} tokens in, ${String(usage['outputTokens'])} out`
    : `${String(requestChars)} characters in`;
  const tools = Array.isArray(calls)
    ? calls.map((tool: unknown) => (isRecord(tool) ? String(tool['name']) : '?'))
    : [];
  const words = [
    `${String(call['kind'])} ${String(call['model'])}`,
    `${typeof status === 'number' ? status : 'no answer'} ${String(end)}`,
    tokens,
    ...(tools.length > 0 ? [`asks for ${tools.join(', ')}`] : []),
    ...(typeof stop === 'string' ? [stop] : []),
  ];
  return `${paint(context, 'dim', when)}  ${printable(words.join('  ')).replaceAll('\n', ' ')}\n`;
}
