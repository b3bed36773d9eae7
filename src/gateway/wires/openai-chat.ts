import { isRecord } from '../../base/json.ts';
import {
  argsOf,
  count,
  grown,
  plainText,
  readsAsFailure,
  record,
  records,
  text,
} from '../shape.ts';
import type { AnswerReader, ModelAnswer, ModelRequest, SoFar } from '../wire.ts';
import type { Unit, Usage, WireReader } from '../wire.ts';
import { tierIn } from '../surcharge.ts';
import { openaiError, openaiRefusal } from './openai.ts';

function callOf(call: Readonly<Record<string, unknown>>): Unit {
  const asked = record(call['function'] ?? call['custom']);
  const args = asked['input'] ?? text(asked['arguments']); // JSON in JSON, which nothing bounds
  return { kind: 'call', id: text(call['id']), name: text(asked['name']), args };
}

function unitsOf(body: Readonly<Record<string, unknown>>): readonly Unit[] {
  return records(body['messages']).flatMap((message): Unit[] => {
    const said = plainText(message['content']);
    switch (message['role']) {
      case 'user':
        return [{ kind: 'prompt', text: said }];
      case 'tool': {
        const isError = readsAsFailure(said);
        const id = text(message['tool_call_id']);
        return [{ kind: 'result', id, text: said, ...(isError && { isError }) }];
      }
      case 'assistant':
        return [
          ...(said === '' ? [] : [{ kind: 'said', text: said } as const]),
          ...records(message['tool_calls']).map(callOf),
        ];
      default:
        return [];
    }
  });
}

function readRequest(body: Readonly<Record<string, unknown>>): ModelRequest {
  const format = record(record(body['response_format'])['json_schema']);
  const max = count(body['max_completion_tokens']) || count(body['max_tokens']);
  return {
    model: text(body['model']),
    stream: body['stream'] === true,
    system: records(body['messages'])
      .filter(({ role }) => role === 'system' || role === 'developer')
      .map((message) => plainText(message['content']))
      .join('\n'),
    units: unitsOf(body),
    tools: records(body['tools']).map((tool) =>
      text(record(tool['function'] ?? tool['custom'])['name']),
    ),
    ...(max > 0 && { outputTokensMax: max }),
    ...(format['schema'] !== undefined && { schema: format['schema'] }),
  };
}

function usageOf(usage: Readonly<Record<string, unknown>>, tier: string | undefined): Usage {
  const details = record(usage['prompt_tokens_details']);
  return {
    inputTokens: count(usage['prompt_tokens']),
    cachedTokens: count(details['cached_tokens']),
    cacheWriteTokens: count(details['cache_write_tokens']),
    ...(tier !== undefined && { tier }),
    outputTokens: count(usage['completion_tokens']),
  };
}

type Open = { name: string; json: string };

/** A whole answer has a `message` where a stream has `delta`s; their fields are the same. */
class ChatAnswer implements AnswerReader {
  #text = '';
  #chars = 0;
  readonly #calls = new Map<unknown, Open>();
  #usage: Usage | null = null;
  #tier: string | undefined;
  #stop: string | null = null;
  #error: ModelAnswer['error'] = null;

  take(data: unknown): void {
    const chunk = record(data);
    this.#error ??= openaiError(chunk);
    this.#tier = tierIn(chunk) ?? this.#tier;
    if (isRecord(chunk['usage'])) this.#usage = usageOf(chunk['usage'], this.#tier);
    const [choice] = records(chunk['choices']);
    if (choice === undefined) return;
    const said = record(choice['delta'] ?? choice['message']);
    this.#text = grown(this.#text, said['content']);
    for (const words of [said['content'], said['reasoning_content'], said['reasoning']])
      this.#chars += text(words).length;
    for (const [place, call] of records(said['tool_calls']).entries())
      this.#grow(call['index'] ?? place, record(call['function'] ?? call['custom']));
    this.#stop = text(choice['finish_reason']) || this.#stop;
  }

  #grow(index: unknown, asked: Readonly<Record<string, unknown>>): void {
    const call = this.#calls.get(index) ?? { name: '', json: '' };
    this.#calls.set(index, call);
    call.name ||= text(asked['name']);
    this.#chars += text(asked['arguments'] ?? asked['input']).length;
    call.json = grown(call.json, asked['arguments'] ?? asked['input']);
  }

  soFar(): SoFar {
    return { usage: this.#usage, writtenChars: this.#chars };
  }

  answer(): ModelAnswer {
    return {
      text: this.#text,
      calls: [...this.#calls.values()].map(({ name, json }) => ({ name, args: argsOf(json) })),
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
