import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMAND_NAMES } from './command-groups.ts';
import { suggestSynonyms } from './command-synonyms.ts';

describe('a word of another tool', () => {
  const cases: [word: string, line: string][] = [
    ['undo', 'supervisor apply --undo'],
    ['revert', 'supervisor apply --undo'],
    ['restore', 'supervisor apply --undo'],
    ['list', 'supervisor status --all'],
    ['history', 'supervisor status --all'],
    ['cancel', 'supervisor stop last'],
    ['log', 'supervisor logs'],
    ['tail', 'supervisor logs --follow'],
    ['continue', 'supervisor resume last'],
    ['retry', 'supervisor resume last'],
    ['show', 'supervisor why last'],
  ];
  for (const [word, line] of cases)
    test(`${word} names ${line}`, () => {
      const [first = ''] = suggestSynonyms(word);
      assert.ok(first.endsWith(`: ${line}`), first);
      const command = line.split(' ')[1];
      assert.ok(COMMAND_NAMES.some((name) => name === command));
    });

  test('a word that is none gets no line', () =>
    assert.deepEqual([suggestSynonyms('frobnicate'), suggestSynonyms('constructor')], [[], []]));
});
