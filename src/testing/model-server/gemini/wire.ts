import type { JsonObject } from '../../../base/json.ts';
import { isRecord } from '../../../base/json.ts';
import { pieces, records, sse, text } from '../shape.ts';
import type { Asked, ModelRequest, Reply, Unit, Wire } from '../wire.ts';
import { geminiProblem } from './problems.ts';
import { geminiRules } from './rules.ts';

const FINISH_REASONS = {
  end: 'STOP',
  tools: 'STOP',
  length: 'MAX_TOKENS',
  refusal: 'SAFETY',
} as const;

function unitsOf(body: Asked['body']): readonly Unit[] {
  return records(body['contents']).flatMap((content) =>
    records(content['parts']).flatMap((part): Unit[] => {
      const { functionCall: call, functionResponse: result } = part;
      if (isRecord(call)) return [{ kind: 'call', id: text(call['id']), name: text(call['name']) }];
      if (isRecord(result))
        return [
          {
            kind: 'result',
            id: text(result['id']),
            text: JSON.stringify(result['response'] ?? {}),
          },
        ];
      if (typeof part['text'] !== 'string' || part['thought'] === true) return [];
      return [{ kind: content['role'] === 'model' ? 'said' : 'prompt', text: part['text'] }];
    }),
  );
}

/** The model and the wish for a stream are in the path, not in the body. */
function read({ body }: Asked, path: string): ModelRequest {
  const [, model = '', method = ''] = /\/models\/([^:/?]+):(\w+)/.exec(path) ?? [];
  const config = isRecord(body['generationConfig']) ? body['generationConfig'] : {};
  const system = isRecord(body['systemInstruction']) ? body['systemInstruction']['parts'] : [];
  const schema = config['responseJsonSchema'] ?? config['responseSchema'];
  return {
    model,
    stream: method === 'streamGenerateContent',
    system: records(system)
      .map((part) => text(part['text']))
      .join('\n'),
    units: unitsOf(body),
    tools: records(body['tools'])
      .flatMap((tool) => records(tool['functionDeclarations']))
      .map((declared) => text(declared['name'])),
    ...(schema !== undefined && { schema }),
  };
}

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
  const said = pieces(reply.text).map((text) => chunk(reply, [{ text }]));
  const called = reply.calls.length === 0 ? [] : [chunk(reply, callParts(reply))];
  const last = chunk(reply, [{ text: '' }], FINISH_REASONS[reply.stop]);
  return [...thought, ...said, ...called, last].map((data) => sse(data));
}

export const gemini: Wire = {
  name: 'gemini',
  requestIdHeader: 'x-goog-request-id',
  notJson: 'Invalid JSON payload received. Unexpected token.',
  rules: geminiRules,
  read,
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
