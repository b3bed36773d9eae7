import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { brokenRules } from '../admit-request.ts';
import { chatRules } from './openai-chat-rules.ts';
import { openaiChat } from './openai-chat-model.ts';

const hi = { role: 'user', content: 'hi' };
const made = (id: string, args = '{}') => ({
  id,
  type: 'function',
  function: { name: 'bash', arguments: args },
});
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => made(id)),
});
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });
const tool = (name: string) => ({ type: 'function', function: { name, parameters: {} } });

const asking = (...messages: unknown[]) => ({ model: 'm', messages });
const offering = (...tools: unknown[]) => ({ ...asking(hi), tools });

function objection(body: Record<string, unknown>) {
  const route = { wire: openaiChat, rules: chatRules };
  const { broken } = brokenRules(route, { body, headers: {} }, new Set());
  return (
    broken && [
      broken.rule.replace('openai-chat:', ''),
      broken.complaint.message,
      broken.complaint.param,
    ]
  );
}

describe('the Chat API accepts', () => {
  const taken: [why: string, body: Record<string, unknown>][] = [
    ['one question', asking(hi)],
    ['a call with its result', asking(hi, calls('a'), result('a'))],
    ['two calls answered in any order', asking(hi, calls('a', 'b'), result('b'), result('a'), hi)],
    ['roles in any order', asking({ role: 'assistant', content: 'hello' }, hi, hi)],
    ['null for a field left out', { ...asking(hi), stream: null }],
    ['an empty answer with calls', asking(hi, { ...calls('a'), content: '' }, result('a'))],
  ];
  for (const [why, body] of taken) test(why, () => assert.equal(objection(body), undefined));
});

describe('the Chat API refuses', () => {
  const refused: [
    why: string,
    body: Record<string, unknown>,
    rule: keyof typeof chatRules,
    message: string,
    param?: string,
  ][] = [
    ['no model', { messages: [hi] }, 'required-fields', 'you must provide a model parameter'],
    [
      'no messages',
      { model: 'm' },
      'required-fields',
      "Missing required parameter: 'messages'.",
      'messages',
    ],
    [
      'an unknown key',
      { ...asking(hi), thinking: {} },
      'known-keys',
      "Unknown parameter: 'thinking'.",
      'thinking',
    ],
    [
      'a number as text',
      { ...asking(hi), max_tokens: '9' },
      'field-types',
      "Invalid type for 'max_tokens': expected an integer, but got a string instead.",
      'max_tokens',
    ],
    [
      'no message at all',
      asking(),
      'some-message',
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'messages',
    ],
    [
      'no tool at all',
      offering(),
      'some-tool',
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'tools',
    ],
    [
      'an unknown role',
      asking({ role: 'model', content: 'x' }),
      'message-shape',
      "Invalid value: 'model'. Supported values are: 'system', 'developer', 'user', 'assistant', 'tool', and 'function'.",
      'messages[0].role',
    ],
    [
      'an answer with neither content nor calls',
      asking(hi, { role: 'assistant', content: null }),
      'message-shape',
      "Invalid value for 'content': expected a string, got null.",
      'messages[1].content',
    ],
    [
      'an unknown key in a message',
      asking({ ...hi, __copilotMessageSource: 'user' }),
      'known-message-keys',
      "Unknown parameter: 'messages[0].__copilotMessageSource'.",
      'messages[0].__copilotMessageSource',
    ],
    [
      'an unknown key in a call',
      asking(hi, { ...calls(), tool_calls: [{ ...made('a'), status: 'x' }] }, result('a')),
      'known-message-keys',
      "Unknown parameter: 'messages[1].tool_calls[0].status'.",
      'messages[1].tool_calls[0].status',
    ],
    [
      'an empty list of calls',
      asking(hi, { role: 'assistant', content: 'x', tool_calls: [] }),
      'tool-call-shape',
      "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'messages[1].tool_calls',
    ],
    [
      'a call without an id',
      asking(hi, calls('')),
      'tool-call-shape',
      "Missing required parameter: 'messages[1].tool_calls[0].id'.",
      'messages[1].tool_calls[0].id',
    ],
    [
      'arguments that are not JSON',
      asking(hi, { ...calls(), tool_calls: [made('a', '{"x":')] }, result('a')),
      'arguments-are-json',
      "Invalid 'messages[1].tool_calls[0].function.arguments': expected a string that is a valid JSON object.",
      'messages[1].tool_calls[0].function.arguments',
    ],
    [
      'a tool with a name of its own making',
      offering(tool('my tool')),
      'tool-shape',
      "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      'tools[0].function.name',
    ],
    [
      'two tools of one name',
      offering(tool('bash'), tool('bash')),
      'tool-names-unique',
      "Invalid 'tools': duplicate tool name 'bash'.",
      'tools',
    ],
    [
      'a result that names no call',
      asking(hi, calls('a'), { role: 'tool', content: 'ok' }),
      'tool-message-names-its-call',
      "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
      'messages.[2].tool_call_id',
    ],
    [
      'a result without a call',
      asking(hi, result('a')),
      'every-result-asked',
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      'messages.[1].role',
    ],
    [
      'a call answered twice',
      asking(hi, calls('a'), result('a'), result('a')),
      'one-result-per-call',
      "Duplicate response messages for tool_call_id 'a'.",
      'messages',
    ],
    [
      'a call without its result',
      asking(hi, calls('a', 'b'), result('a'), hi),
      'every-call-answered',
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: b",
      'messages.[2].role',
    ],
    [
      'a call whose result comes after another message',
      asking(hi, calls('a'), hi, calls('b'), result('b')),
      'every-call-answered',
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a",
      'messages.[2].role',
    ],
  ];
  for (const [why, body, rule, message, param] of refused)
    test(why, () => assert.deepEqual(objection(body), [rule, message, param]));

  test('for each rule at least once in this table', () => {
    const seen = new Set<string>(refused.map(([, , rule]) => rule));
    assert.deepEqual(
      Object.keys(chatRules).filter((rule) => !seen.has(rule)),
      [],
    );
  });
});
