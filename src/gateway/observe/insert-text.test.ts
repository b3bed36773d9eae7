import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { anchorAt, insertText } from './insert-text.ts';
import type { Anchor } from './insert-text.ts';
import type { WireName } from '../wires/wire.ts';

type Body = Readonly<Record<string, unknown>>;

const TOOLS: Readonly<Record<WireName, unknown>> = {
  anthropic: [{ name: 'Bash', input_schema: {} }],
  'openai-chat': [{ type: 'function', function: { name: 'Bash' } }],
  'openai-responses': [{ type: 'function', name: 'Bash' }],
  gemini: [{ functionDeclarations: [{ name: 'Bash' }] }],
};
const KEYS: Readonly<Record<WireName, string>> = {
  anthropic: 'messages',
  'openai-chat': 'messages',
  'openai-responses': 'input',
  gemini: 'contents',
};

/** The items of `count` turns with one tool call each, in the format of each wire. */
function conversation(wire: WireName, count: number): readonly Body[] {
  const turns = Array.from({ length: count }, (_, at) => at);
  switch (wire) {
    case 'anthropic':
      return [
        { role: 'user', content: 'go' },
        ...turns.flatMap((at) => [
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: `t${at}`, name: 'Bash', input: {} }],
          },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: `t${at}`, content: 'ok' }],
          },
        ]),
      ];
    case 'openai-chat':
      return [
        { role: 'user', content: 'go' },
        ...turns.flatMap((at) => [
          {
            role: 'assistant',
            tool_calls: [
              { id: `t${at}`, type: 'function', function: { name: 'Bash', arguments: '{}' } },
            ],
          },
          { role: 'tool', tool_call_id: `t${at}`, content: 'ok' },
        ]),
      ];
    case 'openai-responses':
      return [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] },
        ...turns.flatMap((at) => [
          { type: 'reasoning', id: `r${at}`, summary: [] },
          { type: 'function_call', call_id: `t${at}`, name: 'Bash', arguments: '{}' },
          { type: 'function_call_output', call_id: `t${at}`, output: 'ok' },
        ]),
      ];
    case 'gemini':
      return [
        { role: 'user', parts: [{ text: 'go' }] },
        ...turns.flatMap((at) => [
          { role: 'model', parts: [{ functionCall: { name: 'Bash', args: { at } } }] },
          {
            role: 'user',
            parts: [{ functionResponse: { name: 'Bash', response: { output: 'ok' } } }],
          },
        ]),
      ];
  }
}

function body(wire: WireName, items: readonly unknown[], more: Body = {}): string {
  return JSON.stringify({ model: 'm', tools: TOOLS[wire], [KEYS[wire]]: items, ...more });
}

function itemsIn(wire: WireName, text: string): readonly unknown[] {
  return (JSON.parse(text) as Record<string, unknown[]>)[KEYS[wire]] ?? [];
}

function inserted(wire: WireName, text: string, anchors: readonly Anchor[]): string {
  const result = insertText(wire, text, anchors);
  assert.ok(result.kind === 'inserted');
  return result.body;
}

function createAnchor(wire: WireName, text: string): Anchor {
  return { after: anchorAt(wire, text) ?? '', text: 'steer' };
}

const LAST: Readonly<Record<WireName, readonly unknown[]>> = {
  anthropic: [
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't0', content: 'ok' },
        { type: 'text', text: 'steer' },
      ],
    },
  ],
  'openai-chat': [
    { role: 'tool', tool_call_id: 't0', content: 'ok' },
    { role: 'user', content: 'steer' },
  ],
  'openai-responses': [
    { type: 'function_call_output', call_id: 't0', output: 'ok' },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'steer' }] },
  ],
  gemini: [
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'Bash', response: { output: 'ok' } } },
        { text: 'steer' },
      ],
    },
  ],
};

for (const wire of Object.keys(KEYS) as WireName[])
  describe(`a text on the ${wire} wire`, () => {
    test('goes after the last tool results, in the format of the wire', () => {
      const now = body(wire, conversation(wire, 1));
      const items = itemsIn(wire, inserted(wire, now, [createAnchor(wire, now)]));
      assert.deepEqual(items.slice(-LAST[wire].length), LAST[wire]);
      assert.equal(items.length, conversation(wire, 1).length + LAST[wire].length - 1);
    });

    test('is at the same place in every later request: earlier requests stay a prefix', () => {
      fc.assert(
        fc.property(
          fc.uniqueArray(fc.nat(5), { maxLength: 4 }),
          fc.integer({ min: 0, max: 6 }),
          (steps, count) => {
            const anchors = steps
              .filter((step) => step <= count)
              .map((step) => createAnchor(wire, body(wire, conversation(wire, step))));
            const seen = (upTo: number): readonly unknown[] => {
              const text = body(wire, conversation(wire, upTo));
              const result = insertText(wire, text, anchors);
              return itemsIn(wire, result.kind === 'inserted' ? result.body : text);
            };
            const later = seen(count + 1);
            const now = seen(count);
            assert.deepEqual(later.slice(0, now.length), now);
            assert.deepEqual(seen(count), now); // a retry
          },
        ),
        { numRuns: 50 },
      );
    });

    test('is not inserted into a conversation that took another course', () => {
      const [first, ...rest] = conversation(wire, 1);
      const anchor = createAnchor(wire, body(wire, [first, ...rest]));
      const other = body(wire, [{ ...first, id: 'other' }, ...rest]);
      assert.deepEqual(insertText(wire, other, [anchor]), { kind: 'unchanged' });
    });

    test('has no place while the model is answering', () => {
      const items = conversation(wire, 1).slice(0, -1);
      assert.equal(anchorAt(wire, body(wire, items)), undefined);
    });

    test('is not inserted where it could do harm', () => {
      const now = body(wire, conversation(wire, 1));
      const anchors = [createAnchor(wire, now)];
      const spaced = now.replace('{"model"', '{ "model"');
      const why = [
        spaced,
        body(wire, conversation(wire, 1), { tools: [] }),
        'x',
        body(wire, [...conversation(wire, 1), 7]),
      ];
      const noWord = { toString: 1, valueOf: 1 }; // an object that JSON can carry and that no string function accepts
      assert.equal(anchorAt(wire, body(wire, [{ role: noWord, type: noWord }])), undefined);
      assert.deepEqual(
        why.map((text) => insertText(wire, text, anchors)),
        ['round-trip', 'no-tools', 'not-json', 'round-trip'].map((reason) => ({
          kind: 'refused',
          why: reason,
        })),
      );
    });
  });

test('cache marks do not move a text', () => {
  const items = conversation('anthropic', 1);
  const anchor = { after: anchorAt('anthropic', body('anthropic', items)) ?? '', text: 'steer' };
  const marked = items.map((item) => ({
    ...item,
    content: [{ type: 'text', text: 'go', cache_control: { type: 'ephemeral' } }],
  }));
  const plain = marked.map((item) => ({ ...item, content: [{ type: 'text', text: 'go' }] }));
  const there = { after: anchorAt('anthropic', body('anthropic', plain)) ?? '', text: 'steer' };
  assert.equal(insertText('anthropic', body('anthropic', marked), [there]).kind, 'inserted');
  assert.equal(insertText('anthropic', body('anthropic', marked), [anchor]).kind, 'unchanged');
});

test('a system message after the last user message of Claude stays where it is', () => {
  const items = [...conversation('anthropic', 1), { role: 'system', content: 'a note' }];
  const text = body('anthropic', items);
  const anchor = { after: anchorAt('anthropic', text) ?? '', text: 'steer' };
  const result = itemsIn('anthropic', inserted('anthropic', text, [anchor]));
  assert.deepEqual(result.slice(-2), [...LAST.anthropic, { role: 'system', content: 'a note' }]);
});
