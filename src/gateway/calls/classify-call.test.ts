import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { CallKind } from './classify-call.ts';
import { Conversations, classifyCall } from './classify-call.ts';
import type { ModelRequest, MessageUnit } from '../wires/wire.ts';
import { openaiResponses } from '../wires/openai-responses-wire.ts';

const prompt = (text: string): MessageUnit => ({ kind: 'prompt', text });
const result: MessageUnit = { kind: 'result', id: 'a', text: 'ok' };

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return { model: 'm', stream: true, system: '', units: [prompt('hi')], tools: ['Bash'], ...more };
}

function codex(turn: object): Record<string, string> {
  return { 'x-codex-turn-metadata': JSON.stringify(turn) };
}

describe('a call is', () => {
  const summary = [prompt('Your task is to create a detailed summary of the conversation so far')];
  const cases: [
    why: string,
    headers: Record<string, string>,
    request: ModelRequest,
    kind: CallKind,
  ][] = [
    ['the main work', {}, request(), 'main'],
    ["a subagent's by Claude's header", { 'x-claude-code-agent-id': 'a' }, request(), 'sub'],
    [
      "a subagent's by Copilot's header",
      { 'x-interaction-type': 'conversation-subagent' },
      request(),
      'sub',
    ],
    ["a subagent's by opencode's header", { 'x-parent-session-id': 'ses' }, request(), 'sub'],
    ["a subagent's by Codex's metadata", codex({ agent_name: '/root/a' }), request(), 'sub'],
    ['the main work of Codex', codex({ agent_name: '/root' }), request(), 'main'],
    ['a side call when it offers no tools', {}, request({ tools: [] }), 'side'],
    [
      "a compaction by Codex's metadata",
      codex({ request_kind: 'compaction' }),
      request(),
      'compaction',
    ],
    ['a probe when Codex warms up', codex({ request_kind: 'prewarm' }), request(), 'probe'],
    ['a compaction by its last prompt', {}, request({ units: summary }), 'compaction'],
    [
      'a compaction by its system prompt',
      {},
      request({ tools: [], system: 'You are a context summarization agent.' }),
      'compaction',
    ],
    [
      'the main work again once a tool has answered after such a prompt',
      {},
      request({ units: [...summary, result] }),
      'main',
    ],
  ];
  for (const [why, headers, asked, kind] of cases)
    test(why, () => assert.equal(classifyCall(headers, asked), kind));
});

describe('a conversation', () => {
  test('has the id that its CLI gives it', () => {
    const conversations = new Conversations();
    const ids = [
      { 'x-claude-code-session-id': 's' },
      { 'x-claude-code-session-id': 's', 'x-claude-code-agent-id': 'a' },
      { 'thread-id': 't' },
      { 'x-session-id': 'o' },
    ].map((headers) => conversations.identify(headers, []));
    assert.deepEqual(ids, ['s', 's/a', 't', 'o']);
  });

  test('without an id is known by its longest known beginning', () => {
    const conversations = new Conversations();
    const first = [prompt('one')];
    const other = [prompt('two')];
    const ids = [first, other, [...first, result], [...first, result, result], other, first].map(
      (units) => conversations.identify({}, units),
    );
    const [a, b] = ['conversation-1', 'conversation-2'];
    assert.deepEqual(ids, [a, b, a, a, b, a]);
  });

  test('is forgotten when there are too many others', () => {
    const conversations = new Conversations(1);
    const ids = ['one', 'two', 'one'].map((text) => conversations.identify({}, [prompt(text)]));
    assert.deepEqual(ids, ['conversation-1', 'conversation-2', 'conversation-3']);
  });
});

test('15: a call of the newest Codex models, which list their tools in an item, is work', () => {
  const asked = openaiResponses.readRequest(
    {
      model: 'gpt-6-sol',
      input: [
        { type: 'additional_tools', tools: [{ type: 'custom', name: 'exec' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      ],
    },
    '/v1/responses',
  );
  assert.deepEqual(asked.tools, ['exec']);
  assert.equal(classifyCall(codex({ agent_name: '/root' }), asked), 'main');
  assert.equal(classifyCall({}, asked), 'main');
});
