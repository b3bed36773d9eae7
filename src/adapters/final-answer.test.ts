import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentEvent } from './agent-event.ts';
import { FINAL_CHARS_MAX, foldAnswer, NO_ANSWER } from './final-answer.ts';

function said(text: string): AgentEvent {
  return { kind: 'said', text };
}
const tool: AgentEvent = { kind: 'used-tool', tool: 'read', id: null, args: '', input: null };
const ended: AgentEvent = { kind: 'concluded', summary: '' };

describe('the final answer', () => {
  const cases: [why: string, events: readonly AgentEvent[], expected: string][] = [
    ['nothing was said', [tool, ended], ''],
    ['pieces are one message', [said('a'), said('b')], 'ab'],
    ['a tool ends a message', [said('early'), tool, said('a'), said('b'), ended], 'ab'],
    [
      'a message of its own is no more of the last',
      [said('x'), { ...said('{}'), whole: true } as AgentEvent],
      '{}',
    ],
    ['a last word of its own counts', [said('x'), { kind: 'concluded', summary: '{}' }], '{}'],
    ['a tool after it does not take it back', [said('a'), tool], 'a'],
  ];
  for (const [why, events, expected] of cases)
    test(why, () => assert.equal(events.reduce(foldAnswer, NO_ANSWER).text, expected));

  test('has a bound, and what goes past it is seen to', () => {
    const long = said('x'.repeat(700_000));
    assert.equal([long, long, long].reduce(foldAnswer, NO_ANSWER).text.length, FINAL_CHARS_MAX);
  });
});
