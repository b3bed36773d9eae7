import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { worstCaseEstimate } from './call-cost-bound.ts';
import { InputBounds } from './input-bound.ts';
import { OutputEstimates } from './output-estimates.ts';
import { namesRemote } from '../screen/remote-content.ts';
import type { WireName } from '../wires/wire.ts';

const USED = { inputTokens: 100, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };

function boundInput(
  wire: WireName,
  conversationKey: string,
  item: object,
  isKnown: boolean,
): number {
  const body = { model: 'm', [conversationKey]: [item] };
  const call = {
    wire,
    conversationKey,
    target: '/',
    body,
    model: 'm',
    text: JSON.stringify(body),
    price: undefined,
    factor: 1,
    usesServerTools: false,
    namesRemote: namesRemote(body),
    limits: 'in-request' as const,
  };
  const bounds = new InputBounds();
  if (isKnown) bounds.learn(call, USED);
  return worstCaseEstimate(call, bounds, new OutputEstimates()).inputTokens;
}

describe('the reservation for what a model reads', () => {
  const url = 'https://example.org/x';
  const remote: [wire: WireName, key: string, item: object][] = [
    ['anthropic', 'messages', { content: [{ type: 'document', source: { type: 'url', url } }] }],
    [
      'anthropic',
      'messages',
      { content: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }] },
    ],
    ['openai-responses', 'input', { content: [{ type: 'input_file', file_url: url }] }],
    ['openai-responses', 'input', { content: [{ type: 'input_file', file_id: 'file-1' }] }],
    ['openai-chat', 'messages', { content: [{ type: 'file', file: { file_id: 'file-1' } }] }],
    ['gemini', 'contents', { parts: [{ fileData: { fileUri: url } }] }],
  ];
  for (const [wire, key, item] of remote)
    test(`is the whole context for remote content: ${JSON.stringify(item)}`, () => {
      for (const isKnown of [false, true])
        assert.ok(boundInput(wire, key, item, isKnown) >= 1_000_000);
    });

  test('is small for a small text', () => {
    const input = boundInput('anthropic', 'messages', { role: 'user', content: url }, false);
    assert.ok(input < 2000, `${input}`);
  });
});
