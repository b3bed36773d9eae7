import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasOddLimit, namedOutputMax, withOutputMax, withUsage } from './limit-output.ts';
import type { WireName } from '../wires/wire.ts';

describe('a limit on output', () => {
  const cases: [
    why: string,
    wire: WireName,
    body: object,
    named: number | undefined,
    lowered: object,
  ][] = [
    ['is lowered', 'anthropic', { max_tokens: 9000 }, 9000, { max_tokens: 5000 }],
    [
      'lowers the thinking budget too',
      'anthropic',
      { max_tokens: 9000, thinking: { type: 'enabled', budget_tokens: 8000 } },
      9000,
      { max_tokens: 5000, thinking: { type: 'enabled', budget_tokens: 3976 } },
    ],
    [
      'is inserted if there is none',
      'openai-responses',
      {},
      undefined,
      { max_output_tokens: 5000 },
    ],
    [
      'has two field names',
      'openai-chat',
      { max_tokens: 9000, max_completion_tokens: 10 },
      9000,
      { max_tokens: 5000, max_completion_tokens: 10 },
    ],
    [
      'is inserted under the newer name',
      'openai-chat',
      {},
      undefined,
      { max_completion_tokens: 5000 },
    ],
    [
      'is not read if it is a text',
      'openai-chat',
      { max_tokens: '9000' },
      undefined,
      { max_tokens: 5000 },
    ],
    ['is not read if it is -1', 'openai-chat', { max_tokens: -1 }, undefined, { max_tokens: 5000 }],
    [
      'is set beside other settings',
      'gemini',
      { generationConfig: { maxOutputTokens: 9000, topP: 1 } },
      9000,
      { generationConfig: { maxOutputTokens: 5000, topP: 1 } },
    ],
  ];
  for (const [why, wire, body, named, lowered] of cases)
    test(`${why}: ${wire}`, () => {
      const given = body as Record<string, unknown>;
      assert.equal(namedOutputMax(wire, given), named);
      assert.deepEqual(withOutputMax(wire, given, 5000), lowered);
    });

  test('in an unusual form is odd', () => {
    assert.deepEqual(
      [{ max_tokens: -1 }, { max_tokens: '5' }, { max_tokens: null }, { max_tokens: 5 }, {}].map(
        (body) => hasOddLimit('anthropic', body),
      ),
      [true, true, false, false, false],
    );
  });
});

test('a chat stream is asked for its usage, whatever the agent asked for', () => {
  assert.deepEqual(
    withUsage('openai-chat', { stream: true, stream_options: { include_usage: false, x: 1 } }),
    {
      stream: true,
      stream_options: { include_usage: true, x: 1 },
    },
  );
  assert.deepEqual(withUsage('openai-chat', {}), {});
});
