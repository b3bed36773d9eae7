import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { repairRequest } from './repair-request.ts';
import type { RequestBody } from '../screen/screen.ts';
import type { WireName } from '../wires/wire.ts';

const note = { __copilotMessageSource: { kind: 'tool' } };
const message = { role: 'user', content: 'hello' };
const tool = { role: 'tool', tool_call_id: 'a', content: 'one' };
const result = (id: string, output = id) => ({
  functionResponse: { id, name: 'run', response: { output } },
});

describe('D7: a conversation that a CLI stored wrongly can continue', () => {
  const table: [why: string, wire: WireName, given: RequestBody, expected: RequestBody][] = [
    [
      'notes of Copilot in chat messages',
      'openai-chat',
      { model: 'm', messages: [message, { ...tool, ...note }] },
      { model: 'm', messages: [message, tool] },
    ],
    [
      'notes of Copilot in items',
      'openai-responses',
      { input: [{ ...message, ...note }] },
      { input: [message] },
    ],
    [
      'notes of Copilot in messages for Anthropic',
      'anthropic',
      { messages: [{ ...message, ...note }] },
      { messages: [message] },
    ],
    [
      'tool results that Gemini CLI repeats',
      'gemini',
      { contents: [{ role: 'user', parts: [result('a'), result('b'), result('a'), result('b')] }] },
      { contents: [{ role: 'user', parts: [result('a'), result('b')] }] },
    ],
  ];
  for (const [why, wire, given, expected] of table)
    test(why, () => assert.deepEqual(repairRequest(wire, given), expected));
});

describe('a request with no error is left unchanged', () => {
  const nameless = { functionResponse: { name: 'run', response: {} } };
  const table: [why: string, wire: WireName, given: RequestBody][] = [
    ['a conversation', 'openai-chat', { messages: [message, tool] }],
    ['a field that only looks alike', 'openai-chat', { messages: [{ ...message, copilot: 1 }] }],
    ['a question as one text', 'openai-responses', { input: 'hello' }],
    ['the same id in two turns', 'gemini', { contents: [turn('a'), turn('a')] }],
    ['results without an id', 'gemini', { contents: [{ parts: [nameless, nameless] }] }],
    ['a value that is not a conversation', 'gemini', { contents: [7, null, { parts: 'x' }] }],
    ['nothing', 'anthropic', {}],
  ];
  for (const [why, wire, given] of table)
    test(why, () => assert.equal(repairRequest(wire, given), given));

  function turn(id: string) {
    return { role: 'user', parts: [result(id)] };
  }
});
