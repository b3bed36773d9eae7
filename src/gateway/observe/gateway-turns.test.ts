import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { READERS } from '../calls/call-route.ts';
import { conversationPrefix, TurnTracker } from './gateway-turns.ts';
import type { ModelAnswer, WireName } from '../wires/wire.ts';

const ANSWER: ModelAnswer = {
  text: 'ok',
  calls: [],
  usage: { inputTokens: 10, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 2 },
  stop: 'end',
  error: null,
};
const about = {
  number: 1,
  wire: 'anthropic',
  kind: 'main',
  conversation: 'c',
  model: 'm',
} as const;

test('a repeated request with the same conversation is the same turn', () => {
  const turns = new TurnTracker();
  const conversations = [['a'], ['a'], ['a', 'b'], ['a'], ['a', 'b', 'c']];
  const numbers = conversations.map(
    (messages) =>
      turns.take(about, conversationPrefix(messages), { units: [] }, ANSWER, null).number,
  );
  assert.deepEqual(numbers, [1, 1, 2, 3, 4]);
});

describe('tool results that are errors are found', () => {
  const failed = 'Process exited with code 3\nOutput:\nno such file';
  const requests: Readonly<Record<WireName, object>> = {
    anthropic: {
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'old', name: 'Read', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'old', is_error: true, content: 'old' }],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Bash', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, content: failed }],
        },
      ],
    },
    'openai-responses': {
      input: [
        { type: 'function_call', call_id: 'a', name: 'Bash', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: failed },
      ],
    },
    'openai-chat': {
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', function: { name: 'Bash', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: failed },
      ],
    },
    gemini: {
      contents: [
        { role: 'model', parts: [{ functionCall: { id: 'a', name: 'Bash' } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'a', name: 'Bash', response: { error: failed } } }],
        },
      ],
    },
  };
  for (const [wire, body] of Object.entries(requests))
    test(`on the ${wire} wire`, () => {
      const request = READERS[wire as WireName].readRequest({ ...body }, '');
      const { errors } = new TurnTracker().take(about, 'p', request, ANSWER, null);
      assert.deepEqual(
        errors.map(({ tool, text }) => [tool, text.includes('no such file')]),
        [['Bash', true]],
      );
    });

  test('but a good result is not an error, whatever its text contains in the middle', () => {
    const output = `${'fine '.repeat(100)} exit code 1 ${'fine '.repeat(100)}`;
    const messages = [{ role: 'tool', tool_call_id: 'a', content: output }];
    const request = READERS['openai-chat'].readRequest({ messages }, '');
    assert.deepEqual(new TurnTracker().take(about, 'p', request, ANSWER, null).errors, []);
  });
});
