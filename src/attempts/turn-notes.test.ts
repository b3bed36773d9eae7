import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentEvent } from '../adapters/agent-event.ts';
import { foldAnswer, NO_ANSWER } from '../adapters/final-answer.ts';
import { foldTurnNotes, readTurnNotes } from './turn-notes.ts';

function numbers(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, nth) => `${from + nth}`);
}

const cases: [why: string, answer: string, expected: ReturnType<typeof readTurnNotes>][] = [
  ['an empty answer has no notes', '', { statusLine: '', notes: [] }],
  [
    'the last line that is not empty is the claim',
    'a\nb\nDONE\n\n',
    { statusLine: 'DONE', notes: [] },
  ],
  [
    'each note is a separate line',
    'NOTE: one\nthis NOTE: is none\nNOTE:   two  \nNOTE: \nDONE',
    { statusLine: 'DONE', notes: ['one', 'two'] },
  ],
  ['a note may be the last line', 'NOTE: one', { statusLine: 'NOTE: one', notes: ['one'] }],
  ['a repeated note counts once', 'NOTE: n\n'.repeat(3), { statusLine: 'NOTE: n', notes: ['n'] }],
  [
    'only the last twenty notes are stored',
    numbers(1, 30)
      .map((number) => `NOTE: ${number}`)
      .join('\n'),
    { statusLine: 'NOTE: 30', notes: numbers(11, 30) },
  ],
  [
    'a note that is far too long is left out',
    `NOTE: ${'x'.repeat(60_000)}\nDONE`,
    { statusLine: 'DONE', notes: [] },
  ],
  [
    'a long note is cut',
    `NOTE: ${'x'.repeat(3000)}\nDONE`,
    { statusLine: 'DONE', notes: ['x'.repeat(2000)] },
  ],
  [
    'each commitment is a separate line',
    'COMMIT: {"what":1}\nCOMMIT: \n COMMIT: no\nDONE',
    { statusLine: 'DONE', notes: [], commitments: ['{"what":1}'] },
  ],
  ['a last line that is too long counts as empty', 'x'.repeat(5000), { statusLine: '', notes: [] }],
];
for (const [why, answer, expected] of cases)
  test(why, () => assert.deepEqual(readTurnNotes(answer), expected));

const says = (text: string, whole = false): AgentEvent => ({ kind: 'said', text, whole });
const ends = (summary: string): AgentEvent => ({ kind: 'concluded', summary });
const tool: AgentEvent = { kind: 'used-tool', tool: 'read', id: null, args: '', input: null };

const turns: [why: string, events: readonly AgentEvent[], notes: readonly string[]][] = [
  [
    'notes come from all messages of a turn, in their order',
    [says('NOTE: a\n'), tool, says('so\nNOTE: b'), tool, says('NOTE: c\nDONE')],
    ['a', 'b', 'c'],
  ],
  [
    'a note may arrive in pieces',
    [says('NO'), says('TE: the port'), says(' is 80\n'), tool, says('DONE')],
    ['the port is 80'],
  ],
  [
    'a new whole message ends the one before',
    [says('NOTE: a', true), says('NOTE: b', true)],
    ['a', 'b'],
  ],
  [
    'a final message that repeats everything adds nothing',
    [says('NOTE: a'), tool, says('NOTE: b\nDONE'), ends('NOTE: b\nDONE')],
    ['a', 'b'],
  ],
  ['an empty final message removes nothing', [says('NOTE: a'), tool, ends('')], ['a']],
  ['the output of a tool has no notes of the agent', [tool, says('DONE')], []],
];
for (const [why, events, notes] of turns)
  test(`in a turn: ${why}`, () => {
    let [answer, earlier]: [typeof NO_ANSWER, readonly string[]] = [NO_ANSWER, []];
    for (const event of events) {
      earlier = foldTurnNotes(earlier, answer, event);
      answer = foldAnswer(answer, event);
    }
    assert.deepEqual(readTurnNotes(answer.text, earlier).notes, notes);
  });
