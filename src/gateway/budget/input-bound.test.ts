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

const userMessage = (text: string, more: object = {}): object => ({
  role: 'user',
  content: [{ type: 'text', text, ...more }],
});

const MANY = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`field-${at}`, 'x']));

describe('how much a request can make a model read', () => {
  test('is one token for each byte at first', () => {
    const countable = request([userMessage('你'.repeat(1000))]);
    const bound = new InputBounds().bound(countable, CONTEXT);
    assert.ok(bound >= 3000 && bound <= 5000, `${bound}`);
  });

  test('is the earlier count of the provider, plus the bytes that came since', () => {
    const bounds = new InputBounds();
    const [first, second] = [userMessage('x'.repeat(40_000)), userMessage('y'.repeat(100))];
    bounds.learn(request([first]), { inputTokens: 10_000, ...USED });
    const bound = bounds.bound(request([first, second]), CONTEXT);
    assert.ok(bound > 10_100 && bound < 10_600, `${bound}`);
  });

  test('is known although the cache marks have moved and limits differ', () => {
    const bounds = new InputBounds();
    const text = 'x'.repeat(40_000);
    const marked = userMessage(text, { cache_control: { type: 'ephemeral' } });
    bounds.learn(request([marked], { max_tokens: 9 }), { inputTokens: 10_000, ...USED });
    assert.equal(
      bounds.bound(request([userMessage(text)], { max_tokens: 8 }), CONTEXT) < 10_400,
      true,
    );
  });

  const changes: [why: string, asked: Countable][] = [
    ['another model reads it', request([userMessage('x'.repeat(40_000))], { model: 'other' })],
    [
      'there are tools as well',
      request([userMessage('x'.repeat(40_000))], { tools: [{ name: 'f' }] }),
    ],
    ['it begins in another way', request([userMessage('z'), userMessage('x'.repeat(40_000))])],
  ];
  for (const [why, asked] of changes)
    test(`is bounded again from the start if ${why}`, () => {
      const bounds = new InputBounds();
      bounds.learn(request([userMessage('x'.repeat(40_000))]), { inputTokens: 10_000, ...USED });
      assert.ok(bounds.bound(asked, CONTEXT) > 40_000);
    });

  test('of an image is not its bytes, and a document may fill the context', () => {
    const media = (type: string, mime: string): object => ({
      role: 'user',
      content: [{ type, source: { type: 'base64', media_type: mime, data: 'A'.repeat(900_000) } }],
    });
    const image = new InputBounds().bound(request([media('image', 'image/png')]), CONTEXT);
    assert.ok(image > 20_000 && image < 30_000, `${image}`);
    assert.equal(
      new InputBounds().bound(request([media('document', 'application/pdf')]), CONTEXT),
      CONTEXT,
    );
  });

  const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  test('is known although the cache marks on instructions and tools have moved', () => {
    const bounds = new InputBounds();
    const text = { type: 'text', text: 'x'.repeat(40_000) };
    const tool = { name: 'f', input_schema: {} };
    bounds.learn(request([userMessage('go')], { system: [{ ...text, ...mark }], tools: [tool] }), {
      inputTokens: 10_000,
      ...USED,
    });
    const asked = request([userMessage('go')], { system: [text], tools: [{ ...tool, ...mark }] });
    assert.ok(bounds.bound(asked, CONTEXT) < 10_400);
  });

  const call = (input: object): object => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'x', name: 'f', input }],
  });
  const hidden = { cache_control: { type: 'ephemeral', note: 'x'.repeat(40_000) } };
  const marks: [where: string, before: Countable, asked: Countable][] = [
    ['the arguments of a tool', request([call({})]), request([call(hidden)])],
    [
      'the arguments of a tool many times',
      request([call({ list: Array.from({ length: 2000 }, () => ({})) })]),
      request([call({ list: Array.from({ length: 2000 }, () => mark) })]),
    ],
    [
      'the schema of a tool',
      request([userMessage('go')], { tools: [{ name: 'f', input_schema: {} }] }),
      request([userMessage('go')], { tools: [{ name: 'f', input_schema: hidden }] }),
    ],
    [
      'a block, with more than a mark in it',
      request([userMessage('go')]),
      request([userMessage('go', hidden)]),
    ],
    [
      'a block, with many short fields',
      request([userMessage('go')]),
      request([userMessage('go', { cache_control: MANY })]),
    ],
    [
      'a block, with a long type',
      request([userMessage('go')]),
      request([userMessage('go', { cache_control: { type: 'x'.repeat(40_000) } })]),
    ],
    [
      'a field of the instructions',
      request([userMessage('go')], { system: [{ type: 'text', text: 'x', more: {} }] }),
      request([userMessage('go')], { system: [{ type: 'text', text: 'x', more: hidden }] }),
    ],
  ];
  for (const [where, before, asked] of marks)
    test(`counts text that poses as a cache mark in ${where}`, () => {
      const bounds = new InputBounds();
      bounds.learn(before, { inputTokens: 100, ...USED });
      assert.ok(bounds.bound(asked, CONTEXT) > 40_000);
    });

  const LONG = 'hello world '.repeat(25_000);
  const source = { type: 'base64', media_type: 'image/png', data: LONG };
  const texts: [where: string, asked: Countable][] = [
    ['a message', request([{ role: 'user', content: `data:image/png,${LONG}` }])],
    ['a text block', request([userMessage(`data:image/png;base64,${LONG}`)])],
    ['the system prompt', request([], { system: `data:image/png,${LONG}` })],
    [
      'the arguments of a tool',
      request([{ role: 'assistant', content: [{ type: 'tool_use', input: { source } }] }]),
    ],
    [
      'an image inside the arguments of a tool',
      request([
        { role: 'assistant', content: [{ type: 'tool_use', input: { type: 'image', source } }] },
      ]),
    ],
    [
      'the schema of a tool',
      request([], { tools: [{ name: 'f', input_schema: { type: 'image', source } }] }),
    ],
    ['a text block with a source', request([userMessage('x', { source })])],
    [
      'the text of a part with an image address',
      requestOn('openai-chat', 'messages', [
        { content: [{ type: 'text', image_url: inline(LONG) }] },
      ]),
    ],
    [
      'the output of a function',
      requestOn('openai-responses', 'input', [
        { type: 'function_call_output', output: inline(LONG) },
      ]),
    ],
    [
      'the arguments of a function',
      requestOn('gemini', 'contents', [
        {
          parts: [
            { functionCall: { args: { inlineData: { mimeType: 'image/png', data: LONG } } } },
          ],
        },
      ]),
    ],
  ];
  for (const [where, asked] of texts)
    test(`is the bytes of a text that poses as an image in ${where}`, () =>
      assert.ok(new InputBounds().bound(asked, CONTEXT) > LONG.length));

  const DATA = 'A'.repeat(300_000);
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } };
  const images: [where: string, asked: Countable][] = [
    [
      'the result of a tool',
      request([{ role: 'user', content: [{ type: 'tool_result', content: [image] }] }]),
    ],
    [
      'a chat',
      requestOn('openai-chat', 'messages', [
        { content: [{ type: 'image_url', image_url: { url: inline(DATA) } }] },
      ]),
    ],
    [
      'a response',
      requestOn('openai-responses', 'input', [
        { content: [{ type: 'input_image', image_url: inline(DATA) }] },
      ]),
    ],
    [
      'the output of a function',
      requestOn('openai-responses', 'input', [
        {
          type: 'function_call_output',
          output: [{ type: 'input_image', image_url: inline(DATA) }],
        },
      ]),
    ],
    [
      'Gemini',
      requestOn('gemini', 'contents', [
        { parts: [{ inlineData: { mimeType: 'image/png', data: DATA } }] },
      ]),
    ],
  ];
  for (const [where, asked] of images)
    test(`of an image in ${where} is not its bytes`, () => {
      const bound = new InputBounds().bound(asked, CONTEXT);
      assert.ok(bound > 20_000 && bound < 30_000, `${bound}`);
    });

  const packed: [what: string, asked: Countable][] = [
    [
      'a file',
      requestOn('openai-responses', 'input', [
        { content: [{ type: 'input_file', file_data: 'AA' }] },
      ]),
    ],
    [
      'a document in an image address',
      requestOn('openai-chat', 'messages', [
        { content: [{ type: 'image_url', image_url: { url: 'data:application/pdf;base64,AA' } }] },
      ]),
    ],
    [
      'film',
      requestOn('gemini', 'contents', [
        { parts: [{ inline_data: { mime_type: 'video/mp4', data: 'AA' } }] },
      ]),
    ],
    [
      'a fetched document',
      request([
        {
          role: 'assistant',
          content: [
            {
              type: 'web_fetch_tool_result',
              content: {
                type: 'web_fetch_result',
                content: { type: 'document', source: { type: 'base64', data: 'AA' } },
              },
            },
          ],
        },
      ]),
    ],
  ];
  for (const [what, asked] of packed)
    test(`of ${what} is the whole context`, () =>
      assert.equal(new InputBounds().bound(asked, CONTEXT), CONTEXT));
});

function inline(data: string): string {
  return `data:image/png;base64,${data}`;
}

function requestOn(
  wire: Countable['wire'],
  conversationKey: string,
  items: readonly object[],
): Countable {
  return { wire, conversationKey, target: '/', body: { [conversationKey]: items } };
}
