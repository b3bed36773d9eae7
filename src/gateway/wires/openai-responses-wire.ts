import { isRecord } from '../../base/json.ts';
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
import { readsAsFailure } from './reads-as-failure.ts';
import type { AnswerReader, ModelAnswer, ModelRequest, PartialAnswer } from './wire.ts';
import type { MessageUnit, TokenUsage, WireReader } from './wire.ts';
import { readServiceTier } from '../budget/surcharge.ts';
import { openaiError, openaiRefusal } from './openai-errors.ts';

function readResult(item: Readonly<Record<string, unknown>>): MessageUnit {
  const text = resultText(item['output']);
  const isError = item['status'] === 'failed' || readsAsFailure(text);
  return {
    kind: 'result',
    id: textField(item['call_id']),
    text,
    ...(isError && { isError }),
  };
}

function readUnits(body: Readonly<Record<string, unknown>>): readonly MessageUnit[] {
  const { input } = body;
  if (typeof input === 'string') return [{ kind: 'prompt', text: input }];
  return recordList(input).flatMap((item): MessageUnit[] => {
    switch (item['type'] ?? 'message') {
      case 'message':
        if (item['role'] === 'assistant')
          return [{ kind: 'answer', text: plainText(item['content']) }];
        return item['role'] === 'user'
          ? [{ kind: 'prompt', text: plainText(item['content']) }]
          : [];
      case 'function_call':
      case 'custom_tool_call':
        return [
          {
            kind: 'call',
            id: textField(item['call_id']),
            name: textField(item['name']),
            args: item['input'] ?? textField(item['arguments']),
          },
        ];
      case 'function_call_output':
      case 'custom_tool_call_output':
        return [readResult(item)];
      default:
        return [];
    }
  });
}

/** Newer models get their tools in an item of the conversation. */
function readTools(body: Readonly<Record<string, unknown>>): readonly string[] {
  const inInput = recordList(body['input'])
    .filter((item) => item['type'] === 'additional_tools')
    .flatMap((item) => recordList(item['tools']));
  return [...recordList(body['tools']), ...inInput].map((tool) =>
    textField(tool['name'] ?? tool['type']),
  );
}

function readRequest(body: Readonly<Record<string, unknown>>): ModelRequest {
  const format = isRecord(body['text']) ? body['text']['format'] : undefined;
  const max = countField(body['max_output_tokens']);
  return {
    model: textField(body['model']),
    stream: body['stream'] === true,
    system: textField(body['instructions']),
    units: readUnits(body),
    tools: readTools(body),
    ...(max > 0 && { outputTokensMax: max }),
    ...(isRecord(format) && format['schema'] !== undefined && { schema: format['schema'] }),
  };
}

function readUsage(
  usage: Readonly<Record<string, unknown>>,
  more: Partial<TokenUsage>,
): TokenUsage {
  const details = recordField(usage['input_tokens_details']);
  return {
    inputTokens: countField(usage['input_tokens']),
    cachedTokens: countField(details['cached_tokens']),
    cacheWriteTokens: countField(details['cache_write_tokens']),
    ...more,
    outputTokens: countField(usage['output_tokens']),
  };
}

/** Reads only items that the stream marks as done, because they are complete. Deltas are only counted. */
class ResponsesAnswer implements AnswerReader {
  #chars = 0;
  readonly #items = new Map<unknown, Readonly<Record<string, unknown>>>();
  #usage: TokenUsage | null = null;
  #stop: string | null = null;
  #error: ModelAnswer['error'] = null;

  take(data: unknown): void {
    const event = recordField(data);
    if (event['object'] === 'response') return this.#end(event);
    if (event['object'] === 'response.compaction')
      return this.#end({ ...event, status: 'completed' }); // a compaction comes whole, and has no status
    if (textField(event['type']).endsWith('.delta'))
      this.#chars += textField(event['delta']).length;
    switch (event['type']) {
      case 'response.output_item.done':
        this.#items.set(event['output_index'], recordField(event['item']));
        return;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.#end(recordField(event['response']));
      case 'error':
        this.#error = openaiError({ error: event['error'] ?? event });
        return;
      default:
        this.#error ??= openaiError(event);
    }
  }

  #end(response: Readonly<Record<string, unknown>>): void {
    for (const [index, item] of recordList(response['output']).entries())
      this.#items.set(index, item);
    if (isRecord(response['usage'])) {
      const tier = readServiceTier(response);
      const uses = [...this.#items.values()].filter(isServerToolUse).length;
      const more = {
        ...(tier !== undefined && { tier }),
        ...(uses > 0 && { serverToolUses: uses }),
      };
      this.#usage = readUsage(response['usage'], more);
    }
    const reason = textField(recordField(response['incomplete_details'])['reason']);
    this.#stop = reason || textField(response['status']) || null;
    this.#error = openaiError(response);
  }

  soFar(): PartialAnswer {
    return { usage: this.#usage, writtenChars: this.#chars };
  }

  answer(): ModelAnswer {
    const items = [...this.#items.values()];
    const messages = items.filter(({ type }) => type === 'message');
    return {
      text: messages.reduce((all, item) => appendText(all, plainText(item['content'])), ''),
      calls: items.flatMap((item) => {
        const name = textField(item['name']);
        if (item['type'] === 'function_call')
          return [{ name, args: callArguments(textField(item['arguments'])) }];
        return item['type'] === 'custom_tool_call'
          ? [{ name, args: textField(item['input']) }]
          : [];
      }),
      usage: this.#usage,
      stop: this.#stop,
      error: this.#error,
    };
  }
}

function isServerToolUse({ type }: Readonly<Record<string, unknown>>): boolean {
  return /^(?:web_search|file_search|code_interpreter|image_generation)_call$/.test(
    textField(type),
  );
}

export const openaiResponses: WireReader = {
  name: 'openai-responses',
  conversationKey: 'input',
  readRequest,
  answerReader: () => new ResponsesAnswer(),
  refusal: openaiRefusal,
};
