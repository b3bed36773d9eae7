import { isRecord } from '../../base/json.ts';
import {
  callArguments,
  countField,
  appendText,
  plainText,
  recordField,
  recordList,
  textField,
} from './json-shape.ts';
import { readsAsFailure } from './reads-as-failure.ts';
import type { AnswerReader, ModelAnswer, ModelRequest, PartialAnswer } from './wire.ts';
import type { MessageUnit, TokenUsage, WireReader } from './wire.ts';
import { readServiceTier } from '../budget/surcharge.ts';
import { openaiError, openaiRefusal } from './openai-errors.ts';

function readCall(call: Readonly<Record<string, unknown>>): MessageUnit {
  const body = recordField(call['function'] ?? call['custom']);
  const args = body['input'] ?? textField(body['arguments']); // JSON inside a JSON string; it is not parsed, because nothing bounds its size
  return { kind: 'call', id: textField(call['id']), name: textField(body['name']), args };
}

function readUnits(body: Readonly<Record<string, unknown>>): readonly MessageUnit[] {
  return recordList(body['messages']).flatMap((message): MessageUnit[] => {
    const text = plainText(message['content']);
    switch (message['role']) {
      case 'user':
        return [{ kind: 'prompt', text }];
      case 'tool': {
        const isError = readsAsFailure(text);
        const id = textField(message['tool_call_id']);
        return [{ kind: 'result', id, text, ...(isError && { isError }) }];
      }
      case 'assistant':
        return [
          ...(text === '' ? [] : [{ kind: 'answer', text } as const]),
          ...recordList(message['tool_calls']).map(readCall),
        ];
      default:
        return [];
    }
  });
}

function readRequest(body: Readonly<Record<string, unknown>>): ModelRequest {
  const format = recordField(recordField(body['response_format'])['json_schema']);
  const max = countField(body['max_completion_tokens']) || countField(body['max_tokens']);
  return {
    model: textField(body['model']),
    stream: body['stream'] === true,
    system: recordList(body['messages'])
      .filter(({ role }) => role === 'system' || role === 'developer')
      .map((message) => plainText(message['content']))
      .join('\n'),
    units: readUnits(body),
    tools: recordList(body['tools']).map((tool) =>
      textField(recordField(tool['function'] ?? tool['custom'])['name']),
    ),
    ...(max > 0 && { outputTokensMax: max }),
    ...(format['schema'] !== undefined && { schema: format['schema'] }),
  };
}

function readUsage(usage: Readonly<Record<string, unknown>>, tier: string | undefined): TokenUsage {
  const details = recordField(usage['prompt_tokens_details']);
  return {
    inputTokens: countField(usage['prompt_tokens']),
    cachedTokens: countField(details['cached_tokens']),
    cacheWriteTokens: countField(details['cache_write_tokens']),
    ...(tier !== undefined && { tier }),
    outputTokens: countField(usage['completion_tokens']),
  };
}

type PartialCall = { name: string; json: string };

/** A whole answer has a `message` where a stream has `delta`s. Their fields are the same. */
class ChatAnswer implements AnswerReader {
  #text = '';
  #chars = 0;
  readonly #calls = new Map<unknown, PartialCall>();
  #usage: TokenUsage | null = null;
  #tier: string | undefined;
  #stop: string | null = null;
  #error: ModelAnswer['error'] = null;

  take(data: unknown): void {
    const chunk = recordField(data);
    this.#error ??= openaiError(chunk);
    this.#tier = readServiceTier(chunk) ?? this.#tier;
    if (isRecord(chunk['usage'])) this.#usage = readUsage(chunk['usage'], this.#tier);
    const [choice] = recordList(chunk['choices']);
    if (choice === undefined) return;
    const message = recordField(choice['delta'] ?? choice['message']);
    this.#text = appendText(this.#text, message['content']);
    for (const text of [message['content'], message['reasoning_content'], message['reasoning']])
      this.#chars += textField(text).length;
    for (const [position, call] of recordList(message['tool_calls']).entries())
      this.#addDelta(call['index'] ?? position, recordField(call['function'] ?? call['custom']));
    this.#stop = textField(choice['finish_reason']) || this.#stop;
  }

  #addDelta(index: unknown, delta: Readonly<Record<string, unknown>>): void {
    const call = this.#calls.get(index) ?? { name: '', json: '' };
    this.#calls.set(index, call);
    call.name ||= textField(delta['name']);
    this.#chars += textField(delta['arguments'] ?? delta['input']).length;
    call.json = appendText(call.json, delta['arguments'] ?? delta['input']);
  }

  soFar(): PartialAnswer {
    return { usage: this.#usage, writtenChars: this.#chars };
  }

  answer(): ModelAnswer {
    return {
      text: this.#text,
      calls: [...this.#calls.values()].map(({ name, json }) => ({
        name,
        args: callArguments(json),
      })),
      usage: this.#usage,
      stop: this.#stop,
      error: this.#error,
    };
  }
}

export const openaiChat: WireReader = {
  name: 'openai-chat',
  conversationKey: 'messages',
  readRequest,
  answerReader: () => new ChatAnswer(),
  refusal: openaiRefusal,
};
