import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nearest } from './nearest.ts';

describe('the nearest known word', () => {
  const known = ['limits', 'agents', 'attempt', 'owner', 'args', 'id'];
  const cases: [why: string, word: string, found: string | undefined][] = [
    ['a letter left out', 'limts', 'limits'],
    ['a letter too many', 'limmits', 'limits'],
    ['a wrong letter', 'limitz', 'limits'],
    ['two letters swapped', 'agetns', 'agents'],
    ['two letters swapped in a short word', 'arsg', 'args'],
    ['another case', 'Limits', 'limits'],
    ['the closer of two', 'agent', 'agents'],
    ['singular for plural', 'attempts', 'attempt'],
    ['one letter of a word of two', 'i', 'id'],
    ['no known word is close', 'colour', undefined],
    ['an empty word is close to none', '', undefined],
    ['a very long word is not compared', 'l'.repeat(100_000), undefined],
  ];
  for (const [why, word, found] of cases) {
    test(why, () => assert.equal(nearest(word, known), found));
  }
});
