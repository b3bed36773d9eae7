import type { JsonObject } from '../../../base/json.ts';
import { gemini as reader } from '../../../gateway/wires/gemini-wire.ts';
import { pieces, sse } from '../request-shape.ts';
import type { Reply, Wire } from '../model-wire.ts';
import { geminiProblem } from './gemini-problems.ts';
import { geminiRules } from './gemini-rules.ts';

const FINISH_REASONS = {
  end: 'STOP',
  tools: 'STOP',
  length: 'MAX_TOKENS',
  refusal: 'SAFETY',
} as const;

function chunk(reply: Reply, parts: readonly JsonObject[], finishReason?: string) {
  const { usage } = reply;
  return {
    candidates: [
      {
        content: { role: 'model', parts: [...parts] },
        index: 0,
        ...(finishReason !== undefined && { finishReason }),
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.inputTokens,
      ...(finishReason !== undefined && { candidatesTokenCount: usage.outputTokens }),
      cachedContentTokenCount: usage.cachedTokens,
      thoughtsTokenCount: usage.reasoningTokens,
      totalTokenCount: usage.inputTokens + usage.outputTokens + usage.reasoningTokens,
    },
    modelVersion: reply.model,
    responseId: reply.id,
  };
}

function callParts(reply: Reply) {
  return reply.calls.map(({ name, args }) => ({
    functionCall: { name, args: typeof args === 'string' ? { input: args } : args },
  }));
}

function frames(reply: Reply): readonly string[] {
  const thought = pieces(reply.thought).map((text) => chunk(reply, [{ text, thought: true }]));
  const texts = pieces(reply.text).map((text) => chunk(reply, [{ text }]));
  const called = reply.calls.length === 0 ? [] : [chunk(reply, callParts(reply))];
  const last = chunk(reply, [{ text: '' }], FINISH_REASONS[reply.stop]);
  return [...thought, ...texts, ...called, last].map((data) => sse(data));
}

export const gemini: Wire = {
  name: 'gemini',
  requestIdHeader: 'x-goog-request-id',
  notJson: 'Invalid JSON payload received. Unexpected token.',
  rules: geminiRules,
  read: ({ body }, path) => reader.readRequest(body, path),
  body: (reply) =>
    chunk(
      reply,
      [
        ...(reply.thought === '' ? [] : [{ text: reply.thought, thought: true }]),
        ...(reply.text === '' ? [] : [{ text: reply.text }]),
        ...callParts(reply),
      ],
      FINISH_REASONS[reply.stop],
    ),
  frames,
  count: (tokens) => ({ totalTokens: tokens }),
  problem: geminiProblem,
  problemFrame: (problem) => sse(geminiProblem(problem).body),
};
