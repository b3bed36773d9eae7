import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { READERS } from '../calls/call-route.ts';

const WORDS =
  'type role content messages input contents parts tools text functionCall functionResponse tool_calls function usage message choices candidates error delta index response output item usageMetadata details object content_block system generationConfig';

/** JSON with the keys that the readers look for, each holding any value. */
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, 0, -1, 1.5, '', 'text', 'tool_use', 'message', 'user', true),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...WORDS.split(' ')), tie('tree'), { maxKeys: 6 }),
  ),
}));

for (const wire of Object.values(READERS))
  describe(`the reader of ${wire.name}`, () => {
    test('reads any request without an error', () => {
      fc.assert(
        fc.property(fc.dictionary(fc.constantFrom(...WORDS.split(' ')), tree), (body) => {
          const request = wire.readRequest(body, '/v1beta/models/m:generateContent');
          assert.ok(Array.isArray(request.units) && typeof request.model === 'string');
          JSON.stringify(request);
        }),
      );
    });

    test('reads any answer without an error', () => {
      fc.assert(
        fc.property(fc.array(tree, { maxLength: 6 }), (events) => {
          const reader = wire.answerReader();
          for (const event of events) reader.take(event);
          const { usage } = reader.answer();
          const { tier: _tier, ...counts } = usage ?? {};
          for (const count of Object.values(counts))
            assert.ok(Number.isFinite(count) && count >= 0);
        }),
      );
    });
  });

describe('the usage of a call of several passes', () => {
  const pass = { input_tokens: 100, output_tokens: 5, cache_read_input_tokens: 20 };
  const usageOf = (usage: object): unknown => {
    const reader = READERS.anthropic.answerReader();
    reader.take({ type: 'message_start', message: { usage: { input_tokens: 1 } } });
    reader.take({ type: 'message_delta', usage });
    return reader.answer().usage;
  };

  test('is the sum of the passes if the top level has only the last', () => {
    const compaction = { type: 'compaction', input_tokens: 180_000, output_tokens: 3500 };
    assert.deepEqual(usageOf({ ...pass, iterations: [compaction, { type: 'message', ...pass }] }), {
      inputTokens: 180_120,
      cachedTokens: 20,
      cacheWriteTokens: 0,
      outputTokens: 3505,
    });
  });

  test('is the top level if that is more, or if there are no passes', () => {
    const top = { inputTokens: 120, cachedTokens: 20, cacheWriteTokens: 0, outputTokens: 5 };
    for (const iterations of [undefined, null, [], [{ input_tokens: 7 }], { input_tokens: 9e9 }])
      assert.deepEqual(usageOf({ ...pass, iterations }), top);
  });
});

describe('an image that a tool has returned', () => {
  const bodies = {
    anthropic: (data: string) => ({
      messages: [
        {
          role: 'user',
          content: [
            {
              ...{ type: 'tool_result', tool_use_id: 'a' },
              content: [{ type: 'image', source: { type: 'base64', data } }],
            },
          ],
        },
      ],
    }),
    'openai-responses': (data: string) => ({
      input: [
        {
          ...{ type: 'function_call_output', call_id: 'a' },
          output: [{ type: 'input_image', image_url: `data:image/png;base64,${data}` }],
        },
      ],
    }),
  } as const;
  for (const wire of ['anthropic', 'openai-responses'] as const)
    test(`counts as its output: ${wire}`, () => {
      const read = (data: string) => {
        const image = `begin${data.repeat(100)}end`;
        const [unit] = READERS[wire].readRequest(bodies[wire](image), '').units;
        return unit?.kind === 'result' ? unit.text : '';
      };
      assert.equal(read('a'), read('a'));
      assert.notEqual(read('a'), read('b'));
      assert.ok(read('a').length < 100);
    });
});
