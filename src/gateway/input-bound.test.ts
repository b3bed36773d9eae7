import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { InputBounds } from './input-bound.ts';
import type { Countable } from './input-bound.ts';

const CONTEXT = 1_000_000;
const USED = { cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };

function request(messages: readonly object[], more: object = {}): Countable {
  const body = { model: 'm', messages, ...more };
  return { wire: 'anthropic', conversationKey: 'messages', target: '/v1/messages', body };
}

const said = (text: string, more: object = {}): object => ({
  role: 'user',
  content: [{ type: 'text', text, ...more }],
});

describe('how much a request can make a model read', () => {
  test('is a token for each byte at first', () => {
    const asked = request([said('你'.repeat(1000))]);
    const bound = new InputBounds().of(asked, CONTEXT);
    assert.ok(bound >= 3000 && bound <= 5000, `${bound}`);
  });

  test('is what was counted before, and the bytes that came since', () => {
    const bounds = new InputBounds();
    const [first, second] = [said('x'.repeat(40_000)), said('y'.repeat(100))];
    bounds.learn(request([first]), { inputTokens: 10_000, ...USED });
    const bound = bounds.of(request([first, second]), CONTEXT);
    assert.ok(bound > 10_100 && bound < 10_600, `${bound}`);
  });

  test('is known though the marks for a cache have moved, and limits differ', () => {
    const bounds = new InputBounds();
    const text = 'x'.repeat(40_000);
    const marked = said(text, { cache_control: { type: 'ephemeral' } });
    bounds.learn(request([marked], { max_tokens: 9 }), { inputTokens: 10_000, ...USED });
    assert.equal(bounds.of(request([said(text)], { max_tokens: 8 }), CONTEXT) < 10_400, true);
  });

  const changes: [why: string, asked: Countable][] = [
    ['another model reads it', request([said('x'.repeat(40_000))], { model: 'other' })],
    ['there are tools as well', request([said('x'.repeat(40_000))], { tools: [{ name: 'f' }] })],
    ['it begins in another way', request([said('z'), said('x'.repeat(40_000))])],
  ];
  for (const [why, asked] of changes)
    test(`is bounded anew where ${why}`, () => {
      const bounds = new InputBounds();
      bounds.learn(request([said('x'.repeat(40_000))]), { inputTokens: 10_000, ...USED });
      assert.ok(bounds.of(asked, CONTEXT) > 40_000);
    });

  test('of an image is not its bytes, and a document may fill the context', () => {
    const media = (type: string, mime: string): object => ({
      role: 'user',
      content: [{ type, source: { type: 'base64', media_type: mime, data: 'A'.repeat(900_000) } }],
    });
    const image = new InputBounds().of(request([media('image', 'image/png')]), CONTEXT);
    assert.ok(image > 20_000 && image < 30_000, `${image}`);
    assert.equal(
      new InputBounds().of(request([media('document', 'application/pdf')]), CONTEXT),
      CONTEXT,
    );
  });
});
