/** A recorded model call, as `logs --calls --json` prints it. */
import { z } from 'zod';
import { isRecord, parseJson } from '../base/json.ts';
import { anyJson, documentSchema, field, runId, time, toIso, tokens } from './document.ts';

export const ModelCallDocument = documentSchema('model-calls', 'A model call, one per line.', {
  run_id: runId,
  number: field(z.int(), 'Counts from 1 within an attempt.'),
  at: time,
  wire: field(z.string(), 'The format of the call, which identifies the provider.'),
  kind: z.string(),
  conversation: z.string(),
  model: z.string(),
  path: z.string(),
  http_status: field(z.int().nullable(), 'Null: no answer came.'),
  end: field(z.string(), 'How it ended: answered, cut, left, timed-out …'),
  request: field(z.string(), 'The body of the request, shortened, without secrets.'),
  request_chars: z.int(),
  input_tokens: tokens,
  output_tokens: tokens,
  stop: field(z.string().nullable(), "The provider's word for the stop reason."),
  answer: field(anyJson, 'The text and the tool calls of the answer. Null: none.'),
});

/** Undefined for a line that is not such a record, such as the last one of a process that died while it wrote. */
export function modelCallDocument(
  run: string,
  line: string,
): z.infer<typeof ModelCallDocument> | undefined {
  const record = parseJson(line);
  if (!isRecord(record) || !isRecord(record['call'])) return undefined;
  const { call, at, path, request, requestChars, status, end, answer } = record;
  const { usage = null, stop = null } = isRecord(answer) ? answer : {};
  const count = (name: string): number | null =>
    isRecord(usage) && typeof usage[name] === 'number' ? usage[name] : null;
  return {
    schema: 'supervisor.model-calls/1',
    run_id: run,
    number: Number(call['number']),
    at: toIso(Number(at)),
    wire: String(call['wire']),
    kind: String(call['kind']),
    conversation: String(call['conversation']),
    model: String(call['model']),
    path: String(path),
    http_status: typeof status === 'number' ? status : null,
    end: String(end),
    request: String(request),
    request_chars: Number(requestChars),
    input_tokens: count('inputTokens'),
    output_tokens: count('outputTokens'),
    stop: typeof stop === 'string' ? stop : null,
    answer: answerOf(answer),
  };
}

/** Its usage and stop reason have their own fields. */
function answerOf(answer: unknown): unknown {
  if (!isRecord(answer)) return null;
  const { text = null, calls = [], error = null } = answer;
  return { text, calls, error };
}
