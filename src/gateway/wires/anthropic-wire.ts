import { isRecord } from '../../base/json.ts';
import type { Json } from '../../base/json.ts';
import {
  callArguments,
  countField,
  appendText,
  plainText,
  recordField,
  recordList,
  resultText,
  textField,
} from './json-shape.ts';
import type { AnswerReader, ModelAnswer, ModelRequest, PartialAnswer } from './wire.ts';
import type { MessageUnit, TokenUsage, WireReader } from './wire.ts';

function contentBlocks(content: unknown): readonly Record<string, unknown>[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : recordList(content);
}

function readUnits(body: Readonly<Record<string, unknown>>): readonly MessageUnit[] {
  return recordList(body['messages']).flatMap((message) =>
    contentBlocks(message['content']).flatMap((block): MessageUnit[] => {
      switch (block['type']) {
        case 'text':
          if (message['role'] === 'system') return [];
          return [
            {
              kind: message['role'] === 'assistant' ? 'answer' : 'prompt',
              text: textField(block['text']),
            },
          ];
        case 'tool_use':
          return [
            {
              kind: 'call',
              id: textField(block['id']),
              name: textField(block['name']),
              args: block['input'],
            },
          ];
        case 'tool_result':
          return [
            {
              kind: 'result',
              id: textField(block['tool_use_id']),
              text: resultText(block['content']),
              ...(block['is_error'] === true && { isError: true }),
            },
          ];
        default:
          return [];
      }
    }),
  );
}

function readRequest(body: Readonly<Record<string, unknown>>): ModelRequest {
  const format = isRecord(body['output_config'])
    ? body['output_config']['format']
    : body['output_format'];
  const max = countField(body['max_tokens']);
  return {
    model: textField(body['model']),
    stream: body['stream'] === true,
    system: plainText(body['system']),
    units: readUnits(body),
    tools: recordList(body['tools']).map((tool) => textField(tool['name'])),
    ...(max > 0 && { outputTokensMax: max }),
    ...(isRecord(format) && { schema: format['schema'] }),
  };
}

/**
 * A call may take several passes, for example a compaction first. Each pass is billed, but the top level may report
 * only the last one.
 */
function totalUsage(usage: Readonly<Record<string, unknown>>): TokenUsage {
  const top = passUsage(usage);
  const passes = recordList(usage['iterations']).map(passUsage);
  const sum = (readCount: (pass: TokenUsage) => number): number =>
    passes.reduce((total, pass) => total + readCount(pass), 0);
  const inputTokens = sum((pass) => pass.inputTokens);
  const outputTokens = sum((pass) => pass.outputTokens);
  if (inputTokens + outputTokens <= top.inputTokens + top.outputTokens) return top;
  const hour = sum((pass) => pass.cacheWriteHourTokens ?? 0);
  const uses = Math.max(
    top.serverToolUses ?? 0,
    sum((pass) => pass.serverToolUses ?? 0),
  );
  return {
    inputTokens,
    cachedTokens: sum((pass) => pass.cachedTokens),
    cacheWriteTokens: sum((pass) => pass.cacheWriteTokens),
    ...(hour > 0 && { cacheWriteHourTokens: hour }),
    ...(uses > 0 && { serverToolUses: uses }),
    outputTokens,
  };
}

/** Anthropic's `input_tokens` exclude tokens that were read from or written to a cache. */
function passUsage(usage: Readonly<Record<string, unknown>>): TokenUsage {
  const cachedTokens = countField(usage['cache_read_input_tokens']);
  const cacheWriteTokens = countField(usage['cache_creation_input_tokens']);
  const hour = countField(recordField(usage['cache_creation'])['ephemeral_1h_input_tokens']);
  const uses = Object.values(recordField(usage['server_tool_use'])).reduce<number>(
    (sum, one) => sum + countField(one),
    0,
  );
  return {
    inputTokens: countField(usage['input_tokens']) + cachedTokens + cacheWriteTokens,
    cachedTokens,
    cacheWriteTokens,
    ...(hour > 0 && { cacheWriteHourTokens: hour }),
    ...(uses > 0 && { serverToolUses: uses }),
    outputTokens: countField(usage['output_tokens']),
  };
}

type PartialCall = { readonly name: string; readonly input: unknown; json: string };

class AnthropicAnswer implements AnswerReader {
  #text = '';
  #chars = 0;
  /** Tool calls by the index of their block. */
  readonly #calls = new Map<unknown, PartialCall>();
  #usage: Readonly<Record<string, unknown>> | undefined;
  #stop: string | null = null;
  #error: ModelAnswer['error'] = null;

  take(data: unknown): void {
    const event = recordField(data);
    switch (event['type']) {
      case 'message':
        return this.#takeWhole(event);
      case 'message_start':
        return this.#count(recordField(event['message'])['usage']);
      case 'content_block_start':
        return this.#open(event['index'], recordField(event['content_block']));
      case 'content_block_delta':
        return this.#addDelta(event['index'], recordField(event['delta']));
      case 'message_delta':
        this.#count(event['usage']);
        this.#stop = textField(recordField(event['delta'])['stop_reason']) || this.#stop;
        return;
      case 'error': {
        const error = recordField(event['error']);
        this.#error = {
          type: textField(error['type']),
          message: textField(error['message']),
          body: event,
        };
      }
    }
  }

  #takeWhole(message: Readonly<Record<string, unknown>>): void {
    for (const [index, block] of recordList(message['content']).entries()) this.#open(index, block);
    this.#count(message['usage']);
    this.#stop = textField(message['stop_reason']) || null;
  }

  #open(index: unknown, block: Readonly<Record<string, unknown>>): void {
    if (block['type'] === 'text') this.#text = appendText(this.#text, block['text']);
    if (block['type'] === 'tool_use')
      this.#calls.set(index, { name: textField(block['name']), input: block['input'], json: '' });
  }

  #addDelta(index: unknown, delta: Readonly<Record<string, unknown>>): void {
    for (const text of [delta['text'], delta['thinking'], delta['partial_json']])
      this.#chars += textField(text).length;
    if (delta['type'] === 'text_delta') this.#text = appendText(this.#text, delta['text']);
    const call = this.#calls.get(index);
    if (delta['type'] === 'input_json_delta' && call !== undefined)
      call.json = appendText(call.json, delta['partial_json']);
  }

  /** Later events correct the usage of earlier ones, field by field. */
  #count(usage: unknown): void {
    if (isRecord(usage)) this.#usage = { ...this.#usage, ...usage };
  }

  soFar(): PartialAnswer {
    const usage = this.#usage === undefined ? null : totalUsage(this.#usage);
    return { usage, writtenChars: this.#chars };
  }

  answer(): ModelAnswer {
    return {
      text: this.#text,
      calls: [...this.#calls.values()].map(({ name, input, json }) => ({
        name,
        args: json === '' ? ((input ?? {}) as Json) : callArguments(json),
      })),
      usage: this.#usage === undefined ? null : totalUsage(this.#usage),
      stop: this.#stop,
      error: this.#error,
    };
  }
}

export const anthropic: WireReader = {
  name: 'anthropic',
  conversationKey: 'messages',
  readRequest,
  answerReader: () => new AnthropicAnswer(),
  refusal: (status, _code, message) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'invalid_request_error', message },
  }),
};

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  413: 'request_too_large',
  502: 'api_error',
  504: 'api_error',
};
