import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { describeCommand, shellSyntax, shellWords } from './shell-words.ts';

describe('a line is split into words', () => {
  const cases: [why: string, line: string, words: readonly string[] | undefined][] = [
    ['an empty line', '  ', []],
    ['words', '--max-turns 40', ['--max-turns', '40']],
    ['quotes keep spaces', `-c 'a b' "c d"e`, ['-c', 'a b', 'c de']],
    ['an empty word', `a "" ''`, ['a', '', '']],
    ['a backslash keeps the next character', String.raw`a\ b \"`, ['a b', '"']],
    [
      'in double quotes, a backslash escapes only quotes',
      String.raw`"a\"b\n"`,
      [String.raw`a"b\n`],
    ],
    ['in single quotes, a backslash is a backslash', String.raw`'a\b'`, [String.raw`a\b`]],
    ['nothing is expanded', '$HOME *', ['$HOME', '*']],
    ['a quote that is not closed', `a 'b`, undefined],
    ['a backslash at the end', 'a\\', undefined],
  ];
  for (const [why, line, words] of cases)
    test(why, () => assert.deepEqual(shellWords(line), words));

  test('as a shell splits it', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        const line = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
        assert.deepEqual(shellWords(line), words);
      }),
    );
  });
});

describe('what only a shell understands', () => {
  const cases: [line: string, found: string | undefined][] = [
    ['notify-send done', undefined],
    ['echo done | mail me', '|'],
    ['a && b', '&&'],
    ['a || b', '||'],
    ['a; b', ';'],
    ['a >> log', '>>'],
    ['a &', '&'],
    ['say $SUPERVISOR_RUN', '$SUPERVISOR_RUN'],
    ['say "run ${SUPERVISOR_RUN}"', '${'],
    ['say $(date)', '$('],
    ['say `date`', '`'],
    ['~/bin/tell me', '~'],
    ['a=b tell', 'a='],
    ["say 'a | $b `c` ~'", undefined],
    ['say "a | b; c"', undefined],
    [String.raw`say \$HOME \| \"`, undefined],
    ['say it costs 5$', undefined],
    ['tell a~b me=you', undefined],
    [`say "it's" done`, undefined],
  ];
  for (const [line, found] of cases)
    test(`in ${line}`, () => assert.equal(shellSyntax(line), found));
});

describe('a command as a person would type it', () => {
  const cases: [command: readonly string[], expected: string][] = [
    [['npm', 'test'], 'npm test'],
    [['sh', '-c', 'cd web && npm test'], 'cd web && npm test'],
    [['/bin/bash', '-lc', 'npm test'], 'npm test'],
    [['sh', '-c', 'echo $1', 'sh', 'a'], "sh -c 'echo $1' sh a"],
    [['grep', 'a b', 'x'], "grep 'a b' x"],
    [['npm', 'test', '--', '--grep=a|b'], 'npm test -- --grep=a|b'],
    [['sh', 'test.sh'], 'sh test.sh'],
    [['push', '-c', 'a'], 'push -c a'],
  ];
  for (const [command, expected] of cases)
    test(expected, () => assert.equal(describeCommand(command), expected));
});
