import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentEvent } from './agent-event.ts';
import { FINAL_CHARS_MAX, foldAnswer, NO_ANSWER } from './final-answer.ts';

function message(text: string): AgentEvent {
  return { kind: 'said', text };
}
const tool: AgentEvent = { kind: 'used-tool', tool: 'read', id: null, args: '', input: null };
const ended: AgentEvent = { kind: 'concluded', summary: '' };

describe('the final answer', () => {
  const cases: [why: string, events: readonly AgentEvent[], expected: string][] = [
    ['no message', [tool, ended], ''],
    ['pieces are one message', [message('a'), message('b')], 'ab'],
    ['a tool ends a message', [message('early'), tool, message('a'), message('b'), ended], 'ab'],
    [
      'a separate message does not continue the last one',
      [message('x'), { ...message('{}'), whole: true } as AgentEvent],
      '{}',
    ],
    ['a final summary counts', [message('x'), { kind: 'concluded', summary: '{}' }], '{}'],
    ['a tool after it does not remove it', [message('a'), tool], 'a'],
  ];
  for (const [why, events, expected] of cases)
    test(why, () => assert.equal(events.reduce(foldAnswer, NO_ANSWER).text, expected));

  test('is bounded, and a longer one can be detected', () => {
    const long = message('x'.repeat(700_000));
    assert.equal([long, long, long].reduce(foldAnswer, NO_ANSWER).text.length, FINAL_CHARS_MAX);
  });
});
