import { isRecord } from '../../../base/json.ts';
import { openaiChat as reader } from '../../../gateway/wires/openai-chat-wire.ts';
import { openaiProblem } from '../openai/openai-problems.ts';
import { pieces, sse } from '../request-shape.ts';
import type { WireRequest, Reply, Wire } from '../model-wire.ts';
import { chatRules } from './openai-chat-rules.ts';

const FINISH_REASONS = {
  end: 'stop',
  tools: 'tool_calls',
  length: 'length',
  refusal: 'content_filter',
} as const;

function renderUsage({ usage }: Reply) {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

function renderCalls(reply: Reply) {
  return reply.calls.map(({ id, name, args }) => ({
    id: `call_${id}`,
    type: 'function',
    function: {
      name,
      arguments: JSON.stringify(typeof args === 'string' ? { input: args } : args),
    },
  }));
}

function completion(reply: Reply) {
  const calls = renderCalls(reply);
  return {
    id: `chatcmpl-${reply.id}`,
    object: 'chat.completion',
    created: reply.createdS,
    model: reply.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: reply.text === '' ? null : reply.text,
          refusal: null,
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: FINISH_REASONS[reply.stop],
      },
    ],
    usage: renderUsage(reply),
  };
}

function frames(reply: Reply, { body }: WireRequest): readonly string[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: `chatcmpl-${reply.id}`,
    object: 'chat.completion.chunk',
    created: reply.createdS,
    model: reply.model,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  const calls = renderCalls(reply).flatMap((call, index) => [
    chunk({ tool_calls: [{ index, ...call, function: { ...call.function, arguments: '' } }] }),
    ...pieces(call.function.arguments).map((part) =>
      chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
    ),
  ]);
  const options = body['stream_options'];
  const wantsUsage = isRecord(options) && options['include_usage'] === true;
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces(reply.text).map((content) => chunk({ content })),
    ...calls,
    chunk({}, FINISH_REASONS[reply.stop]),
    ...(wantsUsage ? [{ ...chunk({}), choices: [], usage: renderUsage(reply) }] : []),
    '[DONE]',
  ].map((data) => sse(data));
}

export const openaiChat: Wire = {
  name: 'openai-chat',
  requestIdHeader: 'x-request-id',
  notJson:
    'We could not parse the JSON body of your request. The OpenAI API expects a JSON payload.',
  rules: chatRules,
  read: ({ body }, path) => reader.readRequest(body, path),
  body: completion,
  frames,
  count: (tokens) => ({ input_tokens: tokens }),
  problem: openaiProblem,
  problemFrame: (problem) => sse(openaiProblem(problem).body),
};
