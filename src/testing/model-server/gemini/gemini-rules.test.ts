import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { brokenRules } from '../admit-request.ts';
import { geminiCountRules, geminiRules } from './gemini-rules.ts';
import { gemini } from './gemini-model.ts';

const hi = { role: 'user', parts: [{ text: 'hi' }] };
const calls = (...names: string[]) => ({
  role: 'model',
  parts: names.map((name) => ({ functionCall: { name, args: {} } })),
});
const responses = (...names: string[]) => ({
  role: 'user',
  parts: names.map((name) => ({ functionResponse: { name, response: { output: 'ok' } } })),
});
const asking = (...contents: unknown[]) => ({ contents });

function objection(body: Record<string, unknown>, rules: typeof gemini.rules = geminiRules) {
  const { broken } = brokenRules({ wire: gemini, rules }, { body, headers: {} }, new Set());
  return broken && [broken.rule.replace('gemini:', ''), broken.complaint.message];
}

describe('the Gemini API accepts', () => {
  const taken: [why: string, body: Record<string, unknown>][] = [
    ['one question', asking(hi)],
    ['a question that leaves its role out', asking({ parts: [{ text: 'hi' }] })],
    ['a call with its response', asking(hi, calls('a'), responses('a'))],
    ['two calls of one function', asking(hi, calls('a', 'a'), responses('a', 'a'))],
    [
      'a text beside the responses',
      asking(hi, calls('a'), { role: 'user', parts: [...responses('a').parts, { text: 'also' }] }),
    ],
    ['names in snake_case', { ...asking(hi), system_instruction: { parts: [] } }],
    ['two questions in a row', asking(hi, hi)],
  ];
  for (const [why, body] of taken) test(why, () => assert.equal(objection(body), undefined));
});

const COUNTS_DIFFER =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';

describe('the Gemini API refuses', () => {
  const refused: [
    why: string,
    body: Record<string, unknown>,
    rule: keyof typeof geminiRules,
    message: string,
  ][] = [
    [
      'an unknown key',
      { ...asking(hi), messages: [] },
      'known-keys',
      'Invalid JSON payload received. Unknown name "messages": Cannot find field.',
    ],
    [
      'an unknown key in the configuration',
      { ...asking(hi), generationConfig: { max_tokens: 3 } },
      'known-keys',
      'Invalid JSON payload received. Unknown name "max_tokens" at \'generation_config\': Cannot find field.',
    ],
    [
      'an unknown key in a part',
      asking({ role: 'user', parts: [{ text: 'x', cache_control: {} }] }),
      'known-part-keys',
      'Invalid JSON payload received. Unknown name "cache_control" at \'contents[0].parts[0]\': Cannot find field.',
    ],
    [
      'no contents',
      {},
      'some-contents',
      '* GenerateContentRequest.contents: contents is not specified\n',
    ],
    [
      'an unknown role',
      asking({ role: 'assistant', parts: [{ text: 'x' }] }),
      'valid-roles',
      'Please use a valid role: user, model.',
    ],
    [
      'a turn without parts',
      asking(hi, { role: 'model', parts: [] }),
      'some-parts',
      '* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n',
    ],
    [
      'a part without data',
      asking({ role: 'user', parts: [{ thought: true }] }),
      'part-has-data',
      "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field\n",
    ],
    [
      'a response without a name',
      asking(hi, calls('a'), responses('')),
      'functions-are-named',
      '* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n',
    ],
    [
      'two tools of one name',
      { ...asking(hi), tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'a' }] }] },
      'tool-names-unique',
      'Duplicate function declaration found: a',
    ],
    [
      'a call before any question',
      asking(calls('a'), responses('a')),
      'calls-after-user',
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    ],
    [
      'a response without a call',
      asking(hi, responses('a')),
      'responses-after-calls',
      'Please ensure that function response turn comes immediately after a function call turn.',
    ],
    [
      'a call without its response',
      asking(hi, calls('a'), hi),
      'as-many-responses-as-calls',
      COUNTS_DIFFER,
    ],
    [
      'a response sent twice',
      asking(hi, calls('a'), responses('a', 'a')),
      'as-many-responses-as-calls',
      COUNTS_DIFFER,
    ],
    [
      'one response missing',
      asking(hi, calls('a', 'b'), responses('a')),
      'as-many-responses-as-calls',
      COUNTS_DIFFER,
    ],
    [
      'the response of another function',
      asking(hi, calls('a', 'b'), responses('a', 'a')),
      'responses-match-calls',
      'Function response "a" does not match an open function call.',
    ],
  ];
  for (const [why, body, rule, message] of refused)
    test(why, () => assert.deepEqual(objection(body), [rule, message]));

  test('an unknown key in a count', () => {
    assert.deepEqual(objection({ ...asking(hi), tools: [] }, geminiCountRules), [
      'known-keys',
      'Invalid JSON payload received. Unknown name "tools": Cannot find field.',
    ]);
  });

  test('for each rule at least once in this table', () => {
    const seen = new Set<string>(refused.map(([, , rule]) => rule));
    assert.deepEqual(
      Object.keys(geminiRules).filter((rule) => !seen.has(rule)),
      [],
    );
  });
});
