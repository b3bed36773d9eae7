import { isRecord } from '../../base/json.ts';
import type { Json } from '../../base/json.ts';
import { count, grown, plainText, readsAsFailure, record, records, text } from '../shape.ts';
import { tierIn } from '../surcharge.ts';
import type { AnswerReader, AskedCall, ModelAnswer, ModelRequest, SoFar } from '../wire.ts';
import type { Unit, Usage, WireReader } from '../wire.ts';

function resultOf(result: Readonly<Record<string, unknown>>): Unit {
  const response = record(result['response']);
  const isError = response['error'] !== undefined || readsAsFailure(text(response['output']));
  return {
    kind: 'result',
    id: text(result['id']),
    text: JSON.stringify(response),
    ...(isError && { isError }),
  };
}

function unitsOf(body: Readonly<Record<string, unknown>>): readonly Unit[] {
  return records(body['contents']).flatMap((content) =>
    records(content['parts']).flatMap((part): Unit[] => {
      const { functionCall: call, functionResponse: result } = part;
      if (isRecord(call))
        return [
          { kind: 'call', id: text(call['id']), name: text(call['name']), args: call['args'] },
        ];
      if (isRecord(result)) return [resultOf(result)];
      if (typeof part['text'] !== 'string' || part['thought'] === true) return [];
      return [{ kind: content['role'] === 'model' ? 'said' : 'prompt', text: part['text'] }];
    }),
  );
}

/** The model and the wish for a stream are in the path, not in the body. */
function readRequest(body: Readonly<Record<string, unknown>>, path: string): ModelRequest {
  const [, model = '', method = ''] = /\/models\/([^:/?]+):(\w+)/.exec(path) ?? [];
  const config = record(body['generationConfig']);
  const schema = config['responseJsonSchema'] ?? config['responseSchema'];
  const max = count(config['maxOutputTokens']);
  return {
    model,
    stream: method === 'streamGenerateContent',
    system: plainText(record(body['systemInstruction'])['parts'], '\n'),
    units: unitsOf(body),
    tools: records(body['tools'])
      .flatMap((tool) => records(tool['functionDeclarations']))
      .map((declared) => text(declared['name'])),
    ...(max > 0 && { outputTokensMax: max }),
    ...(schema !== undefined && { schema }),
  };
}

/** What it thought is counted beside what it said, and both are paid for. */
function usageOf(usage: Readonly<Record<string, unknown>>): Usage {
  return {
    inputTokens: count(usage['promptTokenCount']) + count(usage['toolUsePromptTokenCount']),
    cachedTokens: count(usage['cachedContentTokenCount']),
    cacheWriteTokens: 0,
    ...(tierIn(usage) !== undefined && { tier: tierIn(usage) ?? '' }),
    outputTokens: count(usage['candidatesTokenCount']) + count(usage['thoughtsTokenCount']),
  };
}

class GeminiAnswer implements AnswerReader {
  #text = '';
  #chars = 0;
  readonly #calls: AskedCall[] = [];
  #usage: Usage | null = null;
  #stop: string | null = null;
  #error: ModelAnswer['error'] = null;

  /** Without server-sent events a stream is a JSON array of the same chunks. */
  take(data: unknown): void {
    if (Array.isArray(data)) {
      for (const chunk of data) this.#chunk(record(chunk));
    } else this.#chunk(record(data));
  }

  #chunk(chunk: Readonly<Record<string, unknown>>): void {
    if (isRecord(chunk['error'])) {
      const { status, message } = chunk['error'];
      this.#error = { type: text(status), message: text(message), body: chunk };
    }
    if (isRecord(chunk['usageMetadata'])) this.#usage = usageOf(chunk['usageMetadata']);
    const [candidate] = records(chunk['candidates']);
    if (candidate === undefined) return;
    for (const part of records(record(candidate['content'])['parts'])) {
      this.#chars += text(part['text']).length;
      if (isRecord(part['functionCall'])) {
        const { name, args } = part['functionCall'];
        this.#calls.push({ name: text(name), args: (args ?? {}) as Json });
        this.#chars += JSON.stringify(args ?? {}).length;
      } else if (part['thought'] !== true) this.#text = grown(this.#text, part['text']);
    }
    this.#stop = text(candidate['finishReason']) || this.#stop;
  }

  soFar(): SoFar {
    return { usage: this.#usage, writtenChars: this.#chars };
  }

  answer(): ModelAnswer {
    return {
      text: this.#text,
      calls: this.#calls,
      usage: this.#usage,
      stop: this.#stop,
      error: this.#error,
    };
  }
}

const STATUSES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  502: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export const gemini: WireReader = {
  name: 'gemini',
  conversationKey: 'contents',
  readRequest,
  answerReader: () => new GeminiAnswer(),
  refusal: (code, _word, message) => ({
    error: { code, message, status: STATUSES[code] ?? 'FAILED_PRECONDITION' },
  }),
};
