import { isRecord } from '../../base/json.ts';
import type { Json } from '../../base/json.ts';
import {
  countField,
  appendText,
  plainText,
  recordField,
  recordList,
  textField,
} from './json-shape.ts';
import { readsAsFailure } from './reads-as-failure.ts';
import { readServiceTier } from '../budget/surcharge.ts';
import type {
  AnswerReader,
  RequestedCall,
  ModelAnswer,
  ModelRequest,
  PartialAnswer,
} from './wire.ts';
import type { MessageUnit, TokenUsage, WireReader } from './wire.ts';

function readResult(result: Readonly<Record<string, unknown>>): MessageUnit {
  const response = recordField(result['response']);
  const isError = response['error'] !== undefined || readsAsFailure(textField(response['output']));
  return {
    kind: 'result',
    id: textField(result['id']),
    text: JSON.stringify(response),
    ...(isError && { isError }),
  };
}

function readUnits(body: Readonly<Record<string, unknown>>): readonly MessageUnit[] {
  return recordList(body['contents']).flatMap((content) =>
    recordList(content['parts']).flatMap((part): MessageUnit[] => {
      const { functionCall: call, functionResponse: result } = part;
      if (isRecord(call))
        return [
          {
            kind: 'call',
            id: textField(call['id']),
            name: textField(call['name']),
            args: call['args'],
          },
        ];
      if (isRecord(result)) return [readResult(result)];
      if (typeof part['text'] !== 'string' || part['thought'] === true) return [];
      return [{ kind: content['role'] === 'model' ? 'answer' : 'prompt', text: part['text'] }];
    }),
  );
}

/** The path, not the body, names the model and whether the answer is streamed. */
function readRequest(body: Readonly<Record<string, unknown>>, path: string): ModelRequest {
  const [, model = '', method = ''] = /\/models\/([^:/?]+):(\w+)/.exec(path) ?? [];
  const config = recordField(body['generationConfig']);
  const schema = config['responseJsonSchema'] ?? config['responseSchema'];
  const max = countField(config['maxOutputTokens']);
  return {
    model,
    stream: method === 'streamGenerateContent',
    system: plainText(recordField(body['systemInstruction'])['parts'], '\n'),
    units: readUnits(body),
    tools: recordList(body['tools'])
      .flatMap((tool) => recordList(tool['functionDeclarations']))
      .map((declared) => textField(declared['name'])),
    ...(max > 0 && { outputTokensMax: max }),
    ...(schema !== undefined && { schema }),
  };
}

/** Gemini counts thinking tokens separately from the answer, and charges for both. */
function readUsage(usage: Readonly<Record<string, unknown>>): TokenUsage {
  const audioTokens = recordList(usage['promptTokensDetails'])
    .filter(({ modality }) => modality === 'AUDIO')
    .reduce((sum, { tokenCount }) => sum + countField(tokenCount), 0);
  return {
    inputTokens:
      countField(usage['promptTokenCount']) + countField(usage['toolUsePromptTokenCount']),
    cachedTokens: countField(usage['cachedContentTokenCount']),
    cacheWriteTokens: 0,
    ...(audioTokens > 0 && { audioTokens }),
    ...(readServiceTier(usage) !== undefined && { tier: readServiceTier(usage) ?? '' }),
    outputTokens:
      countField(usage['candidatesTokenCount']) + countField(usage['thoughtsTokenCount']),
  };
}

class GeminiAnswer implements AnswerReader {
  #text = '';
  #chars = 0;
  readonly #calls: RequestedCall[] = [];
  #usage: TokenUsage | null = null;
  #stop: string | null = null;
  #error: ModelAnswer['error'] = null;

  /** Without server-sent events, a stream is a JSON array of the same chunks. */
  take(data: unknown): void {
    if (Array.isArray(data)) {
      for (const chunk of data) this.#chunk(recordField(chunk));
    } else this.#chunk(recordField(data));
  }

  #chunk(chunk: Readonly<Record<string, unknown>>): void {
    if (isRecord(chunk['error'])) {
      const { status, message } = chunk['error'];
      this.#error = { type: textField(status), message: textField(message), body: chunk };
    }
    if (isRecord(chunk['usageMetadata'])) this.#usage = readUsage(chunk['usageMetadata']);
    const [candidate] = recordList(chunk['candidates']);
    if (candidate === undefined) return;
    for (const part of recordList(recordField(candidate['content'])['parts'])) {
      this.#chars += textField(part['text']).length;
      if (isRecord(part['functionCall'])) {
        const { name, args } = part['functionCall'];
        this.#calls.push({ name: textField(name), args: (args ?? {}) as Json });
        this.#chars += JSON.stringify(args ?? {}).length;
      } else if (part['thought'] !== true) this.#text = appendText(this.#text, part['text']);
    }
    this.#stop = textField(candidate['finishReason']) || this.#stop;
  }

  soFar(): PartialAnswer {
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
