import { isRecord } from '../../../base/json.ts';
import { openaiResponses as reader } from '../../../gateway/wires/openai-responses-wire.ts';
import { openaiProblem } from '../openai/openai-problems.ts';
import { pieces, sse } from '../request-shape.ts';
import type { ModelProblem, Reply, Wire } from '../model-wire.ts';
import { responsesRules } from './openai-responses-rules.ts';

function renderOutput(reply: Reply) {
  const thought = {
    type: 'reasoning',
    id: `rs_${reply.id}`,
    summary: [{ type: 'summary_text', text: reply.thought }],
    encrypted_content: 'c2VhbGVk',
  };
  const textItem = {
    type: 'message',
    id: `msg_${reply.id}`,
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: reply.text, annotations: [] }],
  };
  const calls = reply.calls.map(({ id, name, args }) =>
    typeof args === 'string'
      ? {
          type: 'custom_tool_call',
          id: `ctc_${id}`,
          status: 'completed',
          call_id: `call_${id}`,
          name,
          input: args,
        }
      : {
          type: 'function_call',
          id: `fc_${id}`,
          status: 'completed',
          call_id: `call_${id}`,
          name,
          arguments: JSON.stringify(args),
        },
  );
  return [
    ...(reply.thought === '' ? [] : [thought]),
    ...(reply.text === '' ? [] : [textItem]),
    ...calls,
  ];
}

function response(reply: Reply) {
  const { usage } = reply;
  return {
    id: `resp_${reply.id}`,
    object: 'response',
    created_at: reply.createdS,
    status: reply.stop === 'length' ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: reply.stop === 'length' ? { reason: 'max_output_tokens' } : null,
    model: reply.model,
    output: renderOutput(reply),
    parallel_tool_calls: true,
    usage: {
      input_tokens: usage.inputTokens,
      input_tokens_details: { cached_tokens: usage.cachedTokens },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
      total_tokens: usage.inputTokens + usage.outputTokens,
    },
  };
}

type Item = ReturnType<typeof renderOutput>[number];
type Event = { readonly type: string; readonly [key: string]: unknown };

function itemEvents(item: Item, output_index: number): readonly Event[] {
  const at = { item_id: item.id, output_index };
  const added = (shell: object) => ({
    type: 'response.output_item.added',
    output_index,
    item: { ...item, ...shell, status: 'in_progress' },
  });
  const done = { type: 'response.output_item.done', output_index, item };
  if ('summary' in item) {
    const [part = { type: 'summary_text', text: '' }] = item.summary;
    const where = { ...at, summary_index: 0 };
    return [
      { ...added({ summary: [] }), item: { ...item, summary: [] } },
      { type: 'response.reasoning_summary_part.added', ...where, part: { ...part, text: '' } },
      ...pieces(part.text).map((delta) => ({
        type: 'response.reasoning_summary_text.delta',
        ...where,
        delta,
      })),
      { type: 'response.reasoning_summary_text.done', ...where, text: part.text },
      { type: 'response.reasoning_summary_part.done', ...where, part },
      done,
    ];
  }
  if ('content' in item) {
    const part = item.content[0] ?? { type: 'output_text', text: '', annotations: [] };
    const where = { ...at, content_index: 0 };
    return [
      added({ content: [] }),
      { type: 'response.content_part.added', ...where, part: { ...part, text: '' } },
      ...pieces(part.text).map((delta) => ({
        type: 'response.output_text.delta',
        ...where,
        delta,
      })),
      { type: 'response.output_text.done', ...where, text: part.text },
      { type: 'response.content_part.done', ...where, part },
      done,
    ];
  }
  if ('input' in item)
    return [
      added({ input: '' }),
      ...pieces(item.input).map((delta) => ({
        type: 'response.custom_tool_call_input.delta',
        ...at,
        delta,
      })),
      { type: 'response.custom_tool_call_input.done', ...at, input: item.input },
      done,
    ];
  return [
    added({ arguments: '' }),
    ...pieces(item.arguments).map((delta) => ({
      type: 'response.function_call_arguments.delta',
      ...at,
      delta,
    })),
    { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments },
    done,
  ];
}

function frames(reply: Reply): readonly string[] {
  const whole = response(reply);
  const begun = { ...whole, status: 'in_progress', output: [], usage: null };
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...whole.output.flatMap(itemEvents),
    {
      type: reply.stop === 'length' ? 'response.incomplete' : 'response.completed',
      response: whole,
    },
  ].map((event, sequence_number) => sse({ ...event, sequence_number }, event.type));
}

/** Inside a stream a failure is an end of the response itself, not a separate event. */
function problemFrame(problem: ModelProblem): string {
  const { body } = openaiProblem(problem);
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {};
  const response = {
    id: 'resp_failed',
    object: 'response',
    status: 'failed',
    error: { code: error['code'] ?? error['type'], message: error['message'] },
  };
  return sse({ type: 'response.failed', response }, 'response.failed');
}

export const openaiResponses: Wire = {
  name: 'openai-responses',
  requestIdHeader: 'x-request-id',
  notJson:
    'We could not parse the JSON body of your request. The OpenAI API expects a JSON payload.',
  rules: responsesRules,
  read: ({ body }, path) => reader.readRequest(body, path),
  body: response,
  frames,
  count: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  problem: openaiProblem,
  problemFrame,
};
