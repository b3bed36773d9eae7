import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutMark, withoutMarks } from './cache-marks.ts';

const MARK = { type: 'ephemeral', ttl: '5m' };

test('a cache mark is removed from an item and from its blocks, and nothing else is', () => {
  const input = { cache_control: MARK };
  const content = [
    { type: 'text', text: 'a', cache_control: MARK },
    { type: 'tool_use', input },
  ];
  assert.deepEqual(withoutMarks({ role: 'user', content, cache_control: MARK }), {
    role: 'user',
    content: [
      { type: 'text', text: 'a' },
      { type: 'tool_use', input },
    ],
  });
});

test('what only looks like a cache mark stays', () => {
  const kept: unknown[] = [
    { cache_control: 'ephemeral' },
    { cache_control: { type: 'ephemeral', text: 'read me' } },
    { cache_control: { type: 'x'.repeat(21) } },
    'cache_control',
    null,
  ];
  assert.deepEqual(kept.map(withoutMark), kept);
});
