import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { brokenRules } from '../admit-request.ts';
import { responsesRules } from './openai-responses-rules.ts';
import { openaiResponses } from './openai-responses-model.ts';

const hi = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] };
const call = (call_id: string, args = '{}') => ({
  type: 'function_call',
  call_id,
  name: 'shell',
  arguments: args,
});
const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'ok' });
const patch = (call_id: string) => ({
  type: 'custom_tool_call',
  call_id,
  name: 'apply_patch',
  input: '*** Begin Patch',
});
const patched = (call_id: string) => ({ type: 'custom_tool_call_output', call_id, output: 'ok' });
const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' };
const answer = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'so' }],
};

const asking = (...input: unknown[]) => ({ model: 'm', input });

function objection(body: Record<string, unknown>) {
  const route = { wire: openaiResponses, rules: responsesRules };
  const { broken } = brokenRules(route, { body, headers: {} }, new Set());
  return (
    broken && [
      broken.rule.replace('openai-responses:', ''),
      broken.complaint.message,
      broken.complaint.param,
    ]
  );
}

describe('the Responses API accepts', () => {
  const taken: [why: string, body: Record<string, unknown>][] = [
    ['a question in plain words', { model: 'm', input: 'hi' }],
    ['a message that leaves its type out', asking({ role: 'user', content: 'hi' })],
    [
      'calls of both kinds with their outputs',
      asking(hi, call('a'), output('a'), patch('b'), patched('b')),
    ],
    [
      'an output with something in between',
      asking(hi, call('a'), call('b'), output('b'), output('a')),
    ],
    ['a thought and its call', asking(hi, thought, call('a'), output('a'))],
    ['two thoughts and an answer', asking(hi, thought, thought, answer, hi)],
    ['tools as an item', asking({ type: 'additional_tools', tools: [] }, hi)],
    [
      'an output whose call is in an earlier response',
      { ...asking(output('a')), previous_response_id: 'resp_1' },
    ],
  ];
  for (const [why, body] of taken) test(why, () => assert.equal(objection(body), undefined));
});

describe('the Responses API refuses', () => {
  const refused: [
    why: string,
    body: Record<string, unknown>,
    rule: keyof typeof responsesRules,
    message: string,
    param: string,
  ][] = [
    [
      'no model',
      { input: 'hi' },
      'required-fields',
      "Missing required parameter: 'model'.",
      'model',
    ],
    [
      'no input',
      { model: 'm' },
      'required-fields',
      "Missing required parameter: 'input'.",
      'input',
    ],
    [
      'an unknown key',
      { ...asking(hi), messages: [] },
      'known-keys',
      "Unknown parameter: 'messages'.",
      'messages',
    ],
    [
      'input that is an object',
      { model: 'm', input: {} },
      'field-types',
      "Invalid type for 'input': expected one of a string or array of input items, but got an object instead.",
      'input',
    ],
    [
      'no item at all',
      asking(),
      'some-input',
      "Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'input',
    ],
    [
      'a call without a name',
      asking(hi, { type: 'function_call', call_id: 'a', arguments: '{}' }),
      'item-shape',
      "Missing required parameter: 'input[1].name'.",
      'input[1].name',
    ],
    [
      'words of the model as input',
      asking({ ...hi, content: [{ type: 'output_text', text: 'x' }] }),
      'item-shape',
      "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
      'input[0].content[0].type',
    ],
    [
      'an unknown key in an item',
      asking({ ...hi, __copilotMessageSource: 'user' }),
      'known-item-keys',
      "Unknown parameter: 'input[0].__copilotMessageSource'.",
      'input[0].__copilotMessageSource',
    ],
    [
      'an unknown key in a part',
      asking({ ...hi, content: [{ type: 'input_text', text: 'x', cache_control: {} }] }),
      'known-item-keys',
      "Unknown parameter: 'input[0].content[0].cache_control'.",
      'input[0].content[0].cache_control',
    ],
    [
      'arguments that are not JSON',
      asking(hi, call('a', 'ls'), output('a')),
      'arguments-are-json',
      "Invalid 'input[1].arguments': expected a string that is a valid JSON object.",
      'input[1].arguments',
    ],
    [
      'a tool without a name',
      { ...asking(hi), tools: [{ type: 'function' }] },
      'tool-shape',
      "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      'tools[0].name',
    ],
    [
      'two tools of one name',
      {
        ...asking(hi),
        tools: [
          { type: 'function', name: 'a' },
          { type: 'custom', name: 'a' },
        ],
      },
      'tool-names-unique',
      "Invalid 'tools': duplicate tool name 'a'.",
      'tools',
    ],
    [
      'a call id used twice',
      asking(hi, call('a'), output('a'), call('a'), output('a')),
      'call-ids-unique',
      'Duplicate tool call found with call_id a.',
      'input',
    ],
    [
      'an output without a call',
      asking(hi, output('a')),
      'every-output-asked',
      'No tool call found for function call output with call_id a.',
      'input',
    ],
    [
      'an output before its call',
      asking(hi, output('a'), call('a')),
      'every-output-asked',
      'No tool call found for function call output with call_id a.',
      'input',
    ],
    [
      'an output of the wrong kind',
      asking(hi, patch('a'), output('a')),
      'every-output-asked',
      'No tool call found for function call output with call_id a.',
      'input',
    ],
    [
      'a call answered twice',
      asking(hi, call('a'), output('a'), output('a')),
      'one-output-per-call',
      'Duplicate tool output found for call_id a.',
      'input',
    ],
    [
      'a call without its output',
      asking(hi, call('a'), hi),
      'every-call-answered',
      'No tool output found for function call a.',
      'input',
    ],
    [
      'a patch without its output',
      asking(hi, patch('a')),
      'every-call-answered',
      'No tool output found for custom tool call a.',
      'input',
    ],
    [
      'a thought cut off from what followed it',
      asking(hi, thought, hi),
      'reasoning-followed',
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
      'input',
    ],
  ];
  for (const [why, body, rule, message, param] of refused)
    test(why, () => assert.deepEqual(objection(body), [rule, message, param]));

  test('an unknown kind of item', () => {
    const words = objection(asking({ type: 'tool_result' }));
    assert.deepEqual([words?.[0], words?.[2]], ['item-shape', 'input[0].type']);
    assert.match(
      words?.[1] ?? '',
      /^Invalid value: 'tool_result'\. Supported values are: 'message'/,
    );
  });

  test('for each rule at least once in this table', () => {
    const seen = new Set<string>(refused.map(([, , rule]) => rule));
    assert.deepEqual(
      Object.keys(responsesRules).filter((rule) => !seen.has(rule)),
      [],
    );
  });
});
