import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { shellWords } from './shell-words.ts';

describe('a line in words', () => {
  const cases: [why: string, line: string, words: readonly string[] | undefined][] = [
    ['nothing', '  ', []],
    ['words', '--max-turns 40', ['--max-turns', '40']],
    ['quotes keep together', `-c 'a b' "c d"e`, ['-c', 'a b', 'c de']],
    ['an empty word', `a "" ''`, ['a', '', '']],
    ['a backslash keeps what follows', String.raw`a\ b \"`, ['a b', '"']],
    ['within double quotes it keeps only quotes', String.raw`"a\"b\n"`, [String.raw`a"b\n`]],
    ['within single quotes it is a backslash', String.raw`'a\b'`, [String.raw`a\b`]],
    ['nothing is expanded', '$HOME *', ['$HOME', '*']],
    ['a quote that is not closed', `a 'b`, undefined],
    ['a backslash at the end', 'a\\', undefined],
  ];
  for (const [why, line, words] of cases)
    test(why, () => assert.deepEqual(shellWords(line), words));

  test('is what a shell would quote', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        const line = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
        assert.deepEqual(shellWords(line), words);
      }),
    );
  });
});
