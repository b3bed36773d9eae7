import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { brokenRules } from '../admit-request.ts';
import { anthropic, anthropicCountRules, anthropicRules } from './anthropic-model.ts';

const headers = { 'anthropic-version': '2023-06-01' };
const hi = { role: 'user', content: 'hi' };
const call = (...ids: string[]) => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: {} })),
});
const results = (...ids: string[]) => ({
  role: 'user',
  content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })),
});
const words = (text: string) => ({ type: 'text', text });
const tool = (name: string, more = {}) => ({ name, input_schema: { type: 'object' }, ...more });

const asking = (...messages: unknown[]) => ({ model: 'm', max_tokens: 100, messages });
const offering = (...tools: unknown[]) => ({ ...asking(hi), tools });

const anthropicRoute = { wire: anthropic, rules: anthropic.rules };

function objection(body: Record<string, unknown>, more = {}, rules = anthropic.rules) {
  const asked = { body, headers: { ...headers, ...more } };
  const { broken } = brokenRules({ wire: anthropic, rules }, asked, new Set());
  return broken && [broken.rule.replace('anthropic:', ''), broken.complaint.message];
}

const NOT_ANSWERED =
  'Each `tool_use` block must have a corresponding `tool_result` block in the next message.';

describe('the Messages API accepts', () => {
  const taken: [why: string, body: Record<string, unknown>][] = [
    ['one question', asking(hi)],
    ['a call with its result', asking(hi, call('a'), results('a'))],
    ['two calls answered in one message', asking(hi, call('a', 'b'), results('b', 'a'))],
    ['two calls answered in two messages', asking(hi, call('a', 'b'), results('a'), results('b'))],
    ['two questions in a row', asking(hi, hi)],
    [
      'a text after the results of its message',
      asking(hi, call('a'), {
        role: 'user',
        content: [...results('a').content, words('also this')],
      }),
    ],
    ['a last answer that the model must continue', asking(hi, { role: 'assistant', content: '' })],
    [
      'a tool that the provider runs',
      offering({ type: 'web_search_20250305', name: 'web_search' }),
    ],
    ['four cache marks', { ...asking(hi), system: Array(4).fill(marked()) }],
  ];
  for (const [why, body] of taken) test(why, () => assert.equal(objection(body), undefined));

  test('a system message in the middle, if the beta header is set', () => {
    const more = { role: 'system', content: 'more' };
    const beta = { 'anthropic-beta': 'mid-conversation-system-2026-04-07' };
    assert.equal(objection(asking(hi, more, call('a'), results('a')), beta), undefined);
    assert.equal(objection(asking(hi, call('a'), more, results('a')), beta), undefined);
  });

  for (const model of ['claude-opus-4-8', 'claude-opus-5-5', 'claude-fable-5', 'claude-mythos-5-1'])
    test(`D9: a system message in the middle for ${model}, which needs no beta`, () => {
      const more = { role: 'system', content: 'more' };
      assert.equal(objection({ ...asking(hi, more), model }), undefined);
    });

  test('D9: the effort of one turn only with its beta header', () => {
    const body = asking({ ...hi, output_config: { effort: 'high' } });
    assert.equal(objection(body, { 'anthropic-beta': 'per-turn-control-2026-07-01' }), undefined);
    assert.notEqual(objection(body), undefined);
  });

  test('a count without max_tokens', () => {
    const body = { model: 'm', messages: [hi] };
    assert.equal(objection(body, {}, anthropicCountRules), undefined);
  });
});

function marked() {
  return { ...words('x'), cache_control: { type: 'ephemeral' } };
}

describe('the Messages API refuses', () => {
  const refused: [
    why: string,
    body: Record<string, unknown>,
    rule: keyof typeof anthropicRules,
    message: string,
  ][] = [
    ['no model', { max_tokens: 1, messages: [hi] }, 'required-fields', 'model: Field required'],
    ['no messages', { model: 'm', max_tokens: 1 }, 'required-fields', 'messages: Field required'],
    [
      'no max_tokens',
      { model: 'm', messages: [hi] },
      'max-tokens-required',
      'max_tokens: Field required',
    ],
    [
      'an unknown key',
      { ...asking(hi), betas: [] },
      'known-keys',
      'betas: Extra inputs are not permitted',
    ],
    [
      'max_tokens of none',
      { ...asking(hi), max_tokens: 0 },
      'max-tokens-positive',
      'max_tokens: Input should be greater than or equal to 1',
    ],
    [
      'a number as text',
      { ...asking(hi), max_tokens: '100' },
      'field-types',
      'max_tokens: Input should be a valid integer',
    ],
    [
      'messages that are no list',
      { ...asking(), messages: {} },
      'field-types',
      'messages: Input should be a valid list',
    ],
    [
      'a message that is no object',
      asking('hi'),
      'message-shape',
      'messages.0: Input should be an object',
    ],
    [
      'an unknown role',
      asking(hi, { role: 'tool', content: 'x' }),
      'message-shape',
      "messages.1.role: Input should be 'user' or 'assistant'",
    ],
    [
      'a system message without its beta header',
      asking(hi, { role: 'system', content: 'x' }),
      'message-shape',
      "messages.1.role: Input should be 'user' or 'assistant'",
    ],
    [
      'an unknown key in a message',
      asking({ ...hi, __copilotMessageSource: 'x' }),
      'known-message-keys',
      'messages.0.__copilotMessageSource: Extra inputs are not permitted',
    ],
    [
      'an unknown key in a block',
      asking({ role: 'user', content: [{ ...words('x'), id: '1' }] }),
      'known-block-keys',
      'messages.0.content.0.text.id: Extra inputs are not permitted',
    ],
    [
      'a call whose input is text',
      asking(hi, {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'a', name: 'Bash', input: '{}' }],
      }),
      'block-shape',
      'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
    ],
    [
      'a result that names no call',
      asking(hi, call('a'), { role: 'user', content: [{ type: 'tool_result', content: '' }] }),
      'block-shape',
      'messages.2.content.0.tool_result.tool_use_id: Field required',
    ],
    [
      'a tool with a name of its own making',
      offering(tool('my tool')),
      'tool-shape',
      "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
    [
      'a tool without a schema',
      offering({ name: 'Bash' }),
      'tool-shape',
      'tools.0.custom.input_schema: Field required',
    ],
    [
      'an unknown key in a tool',
      offering(tool('Bash', { parameters: {} })),
      'tool-shape',
      'tools.0.custom.parameters: Extra inputs are not permitted',
    ],
    [
      'two tools of one name',
      offering(tool('Bash'), tool('Bash')),
      'tool-names-unique',
      'tools: Tool names must be unique.',
    ],
    ['no message at all', asking(), 'some-message', 'messages: at least one message is required'],
    [
      'an answer before any question',
      asking({ role: 'assistant', content: 'hello' }, hi),
      'user-first',
      'messages: first message must use the "user" role',
    ],
    [
      'a message without content',
      asking(hi, { role: 'assistant', content: [] }, hi),
      'non-empty-content',
      'messages.1: all messages must have non-empty content except for the optional final assistant message',
    ],
    [
      'an empty text beside another one',
      asking({ role: 'user', content: [words('x'), words('')] }),
      'non-empty-text',
      'messages: text content blocks must be non-empty',
    ],
    [
      'a text of blanks',
      asking({ role: 'user', content: [words(' \n')] }),
      'non-empty-text',
      'messages: text content blocks must contain non-whitespace text',
    ],
    [
      'a call made by the user',
      asking({ role: 'user', content: call('a').content }),
      'blocks-in-their-role',
      'messages.0.content.0: `tool_use` blocks can only be in `assistant` messages',
    ],
    [
      'a call id used twice',
      asking(hi, call('a'), results('a'), call('a'), results('a')),
      'call-ids-unique',
      'messages: `tool_use` ids must be unique',
    ],
    [
      'a call answered twice',
      asking(hi, call('a'), results('a', 'a')),
      'one-result-per-call',
      'messages.2.content: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
    ],
    [
      'a call answered twice in two messages',
      asking(hi, call('a'), results('a'), results('a')),
      'one-result-per-call',
      'messages.3.content: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
    ],
    [
      'a call without its result',
      asking(hi, call('a', 'b'), results('a')),
      'every-call-answered',
      `messages.1: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: b. ${NOT_ANSWERED}`,
    ],
    [
      'a call at the very end',
      asking(hi, call('a')),
      'every-call-answered',
      `messages.1: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: a. ${NOT_ANSWERED}`,
    ],
    [
      'a result that comes a turn too late',
      asking(hi, call('a'), hi, { role: 'assistant', content: 'so' }, results('a')),
      'every-call-answered',
      `messages.1: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: a. ${NOT_ANSWERED}`,
    ],
    [
      'a text before the results of its message',
      asking(hi, call('a'), { role: 'user', content: [words('first'), ...results('a').content] }),
      'results-first',
      `messages.1: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: a. ${NOT_ANSWERED}`,
    ],
    [
      'a result without a call',
      asking(hi, { role: 'assistant', content: 'so' }, results('z')),
      'every-result-asked',
      'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: z. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    ],
    [
      'five cache marks',
      { ...asking({ role: 'user', content: [marked()] }), system: Array(4).fill(marked()) },
      'few-cache-marks',
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      'more thought than the answer may have',
      { ...asking(hi), thinking: { type: 'enabled', budget_tokens: 100 } },
      'thinking-fits',
      '`max_tokens` must be greater than `thinking.budget_tokens`.',
    ],
  ];
  for (const [why, body, rule, message] of refused)
    test(why, () => assert.deepEqual(objection(body), [rule, message]));

  test('a caller that names no version', () => {
    const asked = { body: asking(hi), headers: {} };
    const { broken } = brokenRules(anthropicRoute, asked, new Set());
    assert.equal(broken?.complaint.message, 'anthropic-version: header is required');
  });

  test('an unknown kind of block', () => {
    const found = objection(asking({ role: 'user', content: [{ type: 'video' }] }));
    assert.equal(found?.[0], 'block-shape');
    assert.match(found[1] ?? '', /^messages\.0\.content\.0: Input tag 'video' found using 'type'/);
  });

  test('for each rule at least once in this table', () => {
    const seen = new Set<string>([...refused.map(([, , rule]) => rule), 'version-header']);
    assert.deepEqual(
      Object.keys(anthropicRules).filter((rule) => !seen.has(rule)),
      [],
    );
  });
});
