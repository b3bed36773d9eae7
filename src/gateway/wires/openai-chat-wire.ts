import { isRecord } from '../../base/json.ts';
import {
  callArguments,
  countField,
  appendText,
  plainText,
  readsAsFailure,
  recordField,
  recordList,
  textField,
} from './json-shape.ts';
import type { AnswerReader, ModelAnswer, ModelRequest, PartialAnswer } from './wire.ts';
import type { MessageUnit, TokenUsage, WireReader } from './wire.ts';
import { readServiceTier } from '../budget/surcharge.ts';
import { openaiError, openaiRefusal } from './openai-errors.ts';

function callOf(call: Readonly<Record<string, unknown>>): MessageUnit {
  const asked = recordField(call['function'] ?? call['custom']);
  const args = asked['input'] ?? textField(asked['arguments']); // JSON in JSON, which nothing bounds
  return { kind: 'call', id: textField(call['id']), name: textField(asked['name']), args };
}

function unitsOf(body: Readonly<Record<string, unknown>>): readonly MessageUnit[] {
  return recordList(body['messages']).flatMap((message): MessageUnit[] => {
    const said = plainText(message['content']);
    switch (message['role']) {
      case 'user':
        return [{ kind: 'prompt', text: said }];
      case 'tool': {
        const isError = readsAsFailure(said);
        const id = textField(message['tool_call_id']);
        return [{ kind: 'result', id, text: said, ...(isError && { isError }) }];
      }
      case 'assistant':
        return [
          ...(said === '' ? [] : [{ kind: 'said', text: said } as const]),
          ...recordList(message['tool_calls']).map(callOf),
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
    units: unitsOf(body),
    tools: recordList(body['tools']).map((tool) =>
      textField(recordField(tool['function'] ?? tool['custom'])['name']),
    ),
    ...(max > 0 && { outputTokensMax: max }),
    ...(format['schema'] !== undefined && { schema: format['schema'] }),
  };
}

function usageOf(usage: Readonly<Record<string, unknown>>, tier: string | undefined): TokenUsage {
  const details = recordField(usage['prompt_tokens_details']);
  return {
    inputTokens: countField(usage['prompt_tokens']),
    cachedTokens: countField(details['cached_tokens']),
    cacheWriteTokens: countField(details['cache_write_tokens']),
    ...(tier !== undefined && { tier }),
    outputTokens: countField(usage['completion_tokens']),
  };
}

type Open = { name: string; json: string };

/** A whole answer has a `message` where a stream has `delta`s; their fields are the same. */
class ChatAnswer implements AnswerReader {
  #text = '';
  #chars = 0;
  readonly #calls = new Map<unknown, Open>();
  #usage: TokenUsage | null = null;
  #tier: string | undefined;
  #stop: string | null = null;
  #error: ModelAnswer['error'] = null;

  take(data: unknown): void {
    const chunk = recordField(data);
    this.#error ??= openaiError(chunk);
    this.#tier = readServiceTier(chunk) ?? this.#tier;
    if (isRecord(chunk['usage'])) this.#usage = usageOf(chunk['usage'], this.#tier);
    const [choice] = recordList(chunk['choices']);
    if (choice === undefined) return;
    const said = recordField(choice['delta'] ?? choice['message']);
    this.#text = appendText(this.#text, said['content']);
    for (const words of [said['content'], said['reasoning_content'], said['reasoning']])
      this.#chars += textField(words).length;
    for (const [place, call] of recordList(said['tool_calls']).entries())
      this.#grow(call['index'] ?? place, recordField(call['function'] ?? call['custom']));
    this.#stop = textField(choice['finish_reason']) || this.#stop;
  }

  #grow(index: unknown, asked: Readonly<Record<string, unknown>>): void {
    const call = this.#calls.get(index) ?? { name: '', json: '' };
    this.#calls.set(index, call);
    call.name ||= textField(asked['name']);
    this.#chars += textField(asked['arguments'] ?? asked['input']).length;
    call.json = appendText(call.json, asked['arguments'] ?? asked['input']);
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
