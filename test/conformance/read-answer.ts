/**
 * Reads an answer as a client would. It is written from the providers' documentation of their
 * streams, without a look at the code that writes them: two readings must agree.
 */
import assert from 'node:assert/strict';

import type { WireName } from '../../src/testing/model-server/model-wire.ts';

export type ReadModelAnswer = {
  readonly thought: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cutShort: boolean;
};

// The shapes below are what the providers document; a missing field shows up as a failed assertion.
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;

function events(body: string): Any[] {
  return body
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      // Not a dot: it stops at U+2028, which is no line end here.
      const data = /^data: ([^\n]*)/m.exec(block)?.[1] ?? '';
      return data === '[DONE]' ? { type: 'done' } : JSON.parse(data);
    });
}

function anthropicWhole(message: Any): ReadModelAnswer {
  const of = (type: string): Any[] => message.content.filter((block: Any) => block.type === type);
  return {
    thought: of('thinking')
      .map((block) => block.thinking)
      .join(''),
    text: of('text')
      .map((block) => block.text)
      .join(''),
    calls: of('tool_use').map(({ name, input }) => ({ name, args: input })),
    inputTokens: message.usage.input_tokens,
    outputTokens: message.usage.output_tokens,
    cutShort: message.stop_reason === 'max_tokens',
  };
}

function anthropicStream(body: string): ReadModelAnswer {
  const all = events(body);
  assert.equal(all.at(-1).type, 'message_stop');
  const message = structuredClone(all[0].message);
  const json: string[] = [];
  for (const event of all) {
    if (event.type === 'content_block_start') {
      message.content[event.index] = event.content_block;
      json[event.index] = '';
    } else if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
      message.content[event.index].text += event.delta.text;
    else if (event.type === 'content_block_delta' && event.delta.type === 'thinking_delta')
      message.content[event.index].thinking += event.delta.thinking;
    else if (event.type === 'content_block_delta' && event.delta.type === 'signature_delta')
      message.content[event.index].signature += event.delta.signature;
    else if (event.type === 'content_block_delta') json[event.index] += event.delta.partial_json;
    else if (event.type === 'message_delta') {
      message.stop_reason = event.delta.stop_reason;
      message.usage = { ...message.usage, ...event.usage };
    }
  }
  for (const [index, block] of message.content.entries())
    if (block.type === 'tool_use') block.input = JSON.parse(json[index] || '{}');
  return anthropicWhole(message);
}

function responsesWhole(response: Any): ReadModelAnswer {
  const text = response.output
    .filter((item: Any) => item.type === 'message')
    .flatMap((item: Any) => item.content.map((part: Any) => part.text))
    .join('');
  const calls = response.output.flatMap((item: Any) => {
    if (item.type === 'function_call')
      return [{ name: item.name, args: JSON.parse(item.arguments) }];
    return item.type === 'custom_tool_call' ? [{ name: item.name, args: item.input }] : [];
  });
  return {
    thought: response.output
      .filter((item: Any) => item.type === 'reasoning')
      .flatMap((item: Any) => item.summary.map((part: Any) => part.text))
      .join(''),
    text,
    calls,
    inputTokens: response.usage.input_tokens,
    outputTokens: response.usage.output_tokens,
    cutShort: response.status === 'incomplete',
  };
}

/** Reads only the deltas, and compares them with the items that the stream itself calls done. */
function responsesStream(body: string): ReadModelAnswer {
  const all = events(body);
  assert.deepEqual(
    all.map((event) => event.sequence_number),
    all.map((_event, index) => index),
  );
  const last = all.at(-1);
  assert.match(last.type, /^response\.(completed|incomplete)$/);
  const output: Any[] = [];
  for (const event of all) {
    const item = output[event.output_index];
    if (event.type === 'response.output_item.added')
      output[event.output_index] = structuredClone(event.item);
    else if (event.type === 'response.reasoning_summary_part.added')
      item.summary[event.summary_index] = structuredClone(event.part);
    else if (event.type === 'response.reasoning_summary_text.delta')
      item.summary[event.summary_index].text += event.delta;
    else if (event.type === 'response.content_part.added')
      item.content[event.content_index] = structuredClone(event.part);
    else if (event.type === 'response.output_text.delta')
      item.content[event.content_index].text += event.delta;
    else if (event.type === 'response.function_call_arguments.delta') item.arguments += event.delta;
    else if (event.type === 'response.custom_tool_call_input.delta') item.input += event.delta;
    else if (event.type === 'response.output_item.done')
      assert.deepEqual({ ...item, ...(item.status && { status: 'completed' }) }, event.item);
  }
  return responsesWhole({ ...last.response, output });
}

function chatWhole(completion: Any): ReadModelAnswer {
  const [{ message, finish_reason }] = completion.choices;
  return {
    thought: '', // this wire does not show its thoughts
    text: message.content ?? '',
    calls: (message.tool_calls ?? []).map(({ function: made }: Any) => ({
      name: made.name,
      args: JSON.parse(made.arguments),
    })),
    inputTokens: completion.usage.prompt_tokens,
    outputTokens: completion.usage.completion_tokens,
    cutShort: finish_reason === 'length',
  };
}

function chatStream(body: string): ReadModelAnswer {
  const all = events(body);
  assert.equal(all.pop().type, 'done');
  const message: Any = { content: '', tool_calls: [] };
  let finish_reason: unknown = null;
  let usage: unknown;
  for (const chunk of all) {
    usage = chunk.usage ?? usage;
    for (const choice of chunk.choices) {
      message.content += choice.delta.content ?? '';
      for (const { index, ...call } of choice.delta.tool_calls ?? []) {
        if (message.tool_calls[index] === undefined) message.tool_calls[index] = call;
        else message.tool_calls[index].function.arguments += call.function.arguments;
      }
      finish_reason = choice.finish_reason ?? finish_reason;
    }
  }
  return chatWhole({ choices: [{ message, finish_reason }], usage });
}

function geminiChunks(chunks: readonly Any[]): ReadModelAnswer {
  const parts = chunks.flatMap((chunk) => chunk.candidates[0].content.parts);
  const last = chunks.at(-1);
  const words = (thought: boolean): string =>
    parts
      .filter((part) => (part.thought === true) === thought)
      .map((part) => part.text ?? '')
      .join('');
  return {
    thought: words(true),
    text: words(false),
    calls: parts.flatMap(({ functionCall: made }) =>
      made ? [{ name: made.name, args: made.args }] : [],
    ),
    inputTokens: last.usageMetadata.promptTokenCount,
    outputTokens: last.usageMetadata.candidatesTokenCount,
    cutShort: last.candidates[0].finishReason === 'MAX_TOKENS',
  };
}

export function readAnswer(wire: WireName, stream: boolean, body: string): ReadModelAnswer {
  const whole = (): Any => JSON.parse(body);
  switch (wire) {
    case 'anthropic':
      return stream ? anthropicStream(body) : anthropicWhole(whole());
    case 'openai-responses':
      return stream ? responsesStream(body) : responsesWhole(whole());
    case 'openai-chat':
      return stream ? chatStream(body) : chatWhole(whole());
    case 'gemini':
      return geminiChunks(stream ? events(body) : [whole()]);
  }
}
