import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallKind } from '../calls/classify-call.ts';
import type { WireName } from '../wires/wire.ts';
import { ToldMessages } from './told-messages.ts';

const MESSAGE = { id: 'a', mark: 'MARK a', text: 'MARK a: turn left' };

type Items = readonly Readonly<Record<string, unknown>>[];

const WIRES: readonly [
  wire: WireName,
  key: string,
  prompt: object,
  called: Items,
  result: object,
  inserted: Items,
][] = [
  [
    'anthropic',
    'messages',
    { role: 'user', content: 'go' },
    [{ role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 't', input: {} }] }],
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: 'ok' }] },
    [
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: '1', content: 'ok' },
          { type: 'text', text: MESSAGE.text },
        ],
      },
    ],
  ],
  [
    'openai-responses',
    'input',
    { type: 'message', role: 'user', content: 'go' },
    [{ type: 'function_call', call_id: '1', name: 't', arguments: '{}' }],
    { type: 'function_call_output', call_id: '1', output: 'ok' },
    [
      { type: 'function_call_output', call_id: '1', output: 'ok' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: MESSAGE.text }] },
    ],
  ],
  [
    'openai-chat',
    'messages',
    { role: 'user', content: 'go' },
    [{ role: 'assistant', tool_calls: [{ id: '1' }] }],
    { role: 'tool', tool_call_id: '1', content: 'ok' },
    [
      { role: 'tool', tool_call_id: '1', content: 'ok' },
      { role: 'user', content: MESSAGE.text },
    ],
  ],
  [
    'gemini',
    'contents',
    { role: 'user', parts: [{ text: 'go' }] },
    [{ role: 'model', parts: [{ functionCall: { name: 't' } }] }],
    { role: 'user', parts: [{ functionResponse: { name: 't', response: {} } }] },
    [
      {
        role: 'user',
        parts: [{ functionResponse: { name: 't', response: {} } }, { text: MESSAGE.text }],
      },
    ],
  ],
];

for (const [wire, key, prompt, called, result, inserted] of WIRES)
  describe(`a text that the gateway inserts on the wire ${wire}`, () => {
    const first = [prompt];
    const second = [...first, ...called, result];
    const third = [...second, ...called, result];
    const insert = (told: ToldMessages, items: readonly unknown[], kind: CallKind = 'main') =>
      told.insert({ wire, kind }, key, { [key]: items })[key];

    test('follows the result of a tool call, and stays there in every later request', () => {
      const told = new ToldMessages();
      told.tell(MESSAGE);
      assert.deepEqual(insert(told, first), first);
      const expected = [prompt, ...called, ...inserted];
      assert.deepEqual(insert(told, second), expected);
      const [seen] = told.look({ kind: 'main' }, Buffer.from(JSON.stringify(expected)));
      assert.deepEqual(seen, { message: 'a', times: 1 });
      assert.deepEqual(insert(told, second), expected, 'a retry is the same request');
      assert.deepEqual(insert(told, third), [...expected, ...called, result]);
    });

    test('has one place in a conversation that continues after a call that failed', () => {
      const told = new ToldMessages();
      told.tell(MESSAGE);
      const expected = [prompt, ...called, ...inserted];
      assert.deepEqual(insert(told, second), expected);
      assert.deepEqual(insert(told, third), [...expected, ...called, result], 'it has no receipt');
    });

    test('reaches no other conversation, and none at all once it is withdrawn', () => {
      const told = new ToldMessages();
      told.tell(MESSAGE);
      assert.deepEqual(insert(told, second, 'sub'), second);
      assert.deepEqual(insert(told, second, 'side'), second);
      told.withdraw('a');
      assert.deepEqual(insert(told, second), second);
      assert.equal(told.inserts, false);
    });
  });

test('a place is the same if only the marks for the cache have moved', () => {
  const told = new ToldMessages();
  told.tell(MESSAGE);
  const tool = { type: 'tool_result', tool_use_id: '1', content: 'ok' };
  const about = { wire: 'anthropic', kind: 'main' } as const;
  const marked = { type: 'text', text: 'go', cache_control: { type: 'ephemeral' } };
  const last = { role: 'user', content: [tool] };
  told.insert(about, 'messages', { messages: [{ role: 'user', content: [marked] }, last] });
  told.withdraw('a');
  const later = { messages: [{ role: 'user', content: 'go' }, last] };
  assert.match(JSON.stringify(told.insert(about, 'messages', later)), /MARK a/);
});

describe('a receipt', () => {
  const body = Buffer.from(JSON.stringify(['MARK a', 'MARK b', 'MARK b']));
  test('is given once, with how often the request has the mark', () => {
    const told = new ToldMessages();
    for (const id of ['a', 'b', 'c']) told.tell({ id, mark: `MARK ${id}`, text: null });
    assert.deepEqual(told.look({ kind: 'main' }, body), [
      { message: 'a', times: 1 },
      { message: 'b', times: 2 },
    ]);
    assert.deepEqual(told.look({ kind: 'main' }, body), []);
  });

  test('comes from the main conversation alone', () => {
    const told = new ToldMessages();
    told.tell({ id: 'a', mark: 'MARK a', text: null });
    for (const kind of ['sub', 'side', 'compaction', 'count', 'probe'] as const)
      assert.deepEqual(told.look({ kind }, body), []);
  });
});
