import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saidIn } from './said.ts';

const cases: [why: string, answer: string, said: ReturnType<typeof saidIn>][] = [
  ['nothing is said', '', { last: '', notes: [] }],
  ['the last line is what it says of itself', 'a\nb\nDONE\n\n', { last: 'DONE', notes: [] }],
  [
    'notes are lines of their own',
    'NOTE: one\nthis NOTE: is none\nNOTE:   two  \nNOTE: \nDONE',
    { last: 'DONE', notes: ['one', 'two'] },
  ],
  ['a note may be the last', 'NOTE: one', { last: 'NOTE: one', notes: ['one'] }],
  [
    'there are at most twenty, and none is endless',
    'NOTE: n\n'.repeat(30),
    { last: 'NOTE: n', notes: Array.from({ length: 20 }, () => 'n') },
  ],
  ['a note is cut', `NOTE: ${'x'.repeat(3000)}\nDONE`, { last: 'DONE', notes: ['x'.repeat(2000)] }],
  ['a last line that is too long says nothing', 'x'.repeat(5000), { last: '', notes: [] }],
];
for (const [why, answer, said] of cases) test(why, () => assert.deepEqual(saidIn(answer), said));
