import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonFieldsOrNull } from './reason-fields.ts';

const LONG = `${'a word '.repeat(50)}end`;
const cases: [why: string, text: string | null, reason: string | null, full: string | null][] = [
  ['there is none', null, null, null],
  ['a short one is whole', 'gate test failed', 'gate test failed', null],
  ['lines become one line', 'It works.\n\nI ran it', 'It works. I ran it', 'It works.\n\nI ran it'],
  ['a long one is cut between two words', LONG, `${'a word '.repeat(28)}a…`, LONG],
];
for (const [why, text, reason, full] of cases)
  test(`a reason in JSON: ${why}`, () => {
    assert.deepEqual(reasonFieldsOrNull(text), { reason, full_reason: full });
  });
