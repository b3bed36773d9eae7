import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { cutToWidth, displayWidth, fitLines } from './fit-lines.ts';

describe('a line that is too long for the terminal', () => {
  const cases: [why: string, columns: number, line: string, expected: readonly string[]][] = [
    ['fits', 80, 'one two three', ['one two three']],
    [
      'breaks between words',
      40,
      `${'one '.repeat(12)}end`,
      ['one one one one one one one one one one', 'one one end'],
    ],
    [
      'keeps its margin',
      40,
      `    ${'one '.repeat(12)}end`,
      ['    one one one one one one one one one', '    one one one end'],
    ],
    [
      'continues after the mark of a list',
      40,
      `  ✔ ${'one '.repeat(12)}end`,
      ['  ✔ one one one one one one one one one', '    one one one end'],
    ],
    [
      'continues in its column',
      50,
      `    0.3s  attempt-1 completed: the total of the cart is right`,
      ['    0.3s  attempt-1 completed: the total of the', '          cart is right'],
    ],
    [
      'has no column on a narrow screen',
      30,
      `a label that is long  ${'one '.repeat(4)}end`,
      ['a label that is long  one one', 'one one end'],
    ],
    [
      'keeps a long word whole',
      20,
      'see /home/ada/shop/.supervisor/config.yaml there',
      ['see', '/home/ada/shop/.supervisor/config.yaml', 'there'],
    ],
    [
      'has a command on a line of its own',
      50,
      'Gate test failed. Review the work with: supervisor diff 3f2a. Continue with: supervisor resume 3f2a',
      [
        'Gate test failed. Review the work with:',
        '  supervisor diff 3f2a',
        'Continue with:',
        '  supervisor resume 3f2a',
      ],
    ],
    [
      'keeps a command whole that is too long',
      40,
      'Next  Set it with: supervisor prices set MODEL --input USD --output USD, then answer retry.',
      [
        'Next  Set it with:',
        '        supervisor prices set MODEL --input USD --output USD',
        '      then answer retry.',
      ],
    ],
    [
      'keeps the quotes of a command',
      40,
      'Describe the work: supervisor run "fix it. Then stop, please" (or use a role)',
      ['Describe the work:', '  supervisor run "fix it. Then stop, please"', '(or use a role)'],
    ],
    [
      'keeps other programs whole after with',
      40,
      'The work is on a branch. Merge it with: git merge --no-ff try',
      ['The work is on a branch. Merge it with:', '  git merge --no-ff try'],
    ],
    [
      'keeps an option with its value',
      40,
      'Write it as in a shell, for example: --gate "npm test"',
      ['Write it as in a shell, for example:', '  --gate "npm test"'],
    ],
    [
      'keeps a command of the system whole',
      40,
      'To stop the owner for good: systemctl --user disable --now agent-supervisor',
      ['To stop the owner for good:', '  systemctl --user disable --now agent-supervisor'],
    ],
    [
      'breaks a message about a program',
      40,
      'error: git status failed: fatal: this is not a git repository',
      ['error: git status failed: fatal: this is', 'not a git repository'],
    ],
    [
      'keeps a command between marks whole',
      40,
      'Fix the file or the flag. `supervisor schema config` prints all keys.',
      ['Fix the file or the flag.', '`supervisor schema config` prints all', 'keys.'],
    ],
    [
      'stays whole if it is a command',
      20,
      '  supervisor run "fix the failing test" --apply',
      ['  supervisor run "fix the failing test" --apply'],
    ],
    [
      'counts two columns for a wide character',
      20,
      '日本語の 説明文は 長いです',
      ['日本語の 説明文は', '長いです'],
    ],
  ];
  for (const [why, columns, line, expected] of cases)
    test(why, () => assert.deepEqual(fitLines(line, columns).split('\n'), expected));
});

test('a color begins and ends at the same words', () => {
  const line = `\u001B[31merror:\u001B[0m ${'one '.repeat(12)}\u001B[2mend\u001B[0m`;
  assert.deepEqual(fitLines(line, 40).split('\n'), [
    '\u001B[31merror:\u001B[0m one one one one one one one one',
    'one one one one \u001B[2mend\u001B[0m',
  ]);
});

test('a color around a command ends', () => {
  const line = `\u001B[2mThe work is there. Review the work with: supervisor diff 3f2a.\u001B[0m`;
  assert.deepEqual(fitLines(line, 50).split('\n'), [
    '\u001B[2mThe work is there. Review the work with:',
    '  supervisor diff 3f2a\u001B[0m',
  ]);
});

test('each line is fitted by itself, and what fits stays', () => {
  assert.equal(fitLines('a b\n\nlong line here\n', 10), 'a b\n\nlong line\nhere\n');
});

test('no word is lost, no code is lost, and a line is too long only if it cannot break', () => {
  const word = fc.oneof(
    fc.stringMatching(/^[a-z.,()]{1,12}$/),
    fc.constantFrom(
      'then:',
      'supervisor diff 3f2a.',
      '`supervisor x`',
      '\u001B[31mred\u001B[0m',
      ' ',
    ),
  );
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 40 }),
      fc.integer({ min: 20, max: 90 }),
      (words, columns) => {
        const line = words.join(' ');
        const fitted = fitLines(line, columns);
        const letters = (text: string): string => text.replaceAll(/[\s.,;:]/g, '');
        assert.equal(letters(fitted), letters(line));
        for (const one of fitted.split('\n'))
          assert.ok(
            displayWidth(one) <= columns || !one.trim().includes(' ') || one.includes('supervisor'),
            one,
          );
      },
    ),
    { numRuns: 300, examples: [[[' ', 'then:', ')', ',aaa((', ')..('], 20]] },
  );
});

describe('a cell is cut to its columns', () => {
  const cases: [text: string, columns: number, expected: string][] = [
    ['a long task', 6, 'a lon…'],
    ['a task', 6, 'a task'],
    ['日本語の説明文', 6, '日本…'],
    ['23:32–23:32  exited with code 3', 30, '23:32–23:32  exited with code…'],
  ];
  for (const [text, columns, expected] of cases)
    test(text, () => assert.equal(cutToWidth(text, columns), expected));

  test('whatever its characters are', () => {
    const character = fc.constantFrom('a', ' ', '–', '…', '日', '✔', 'e\u0301', '👩‍👩‍👧', '│');
    fc.assert(
      fc.property(
        fc.string({ unit: character }),
        fc.integer({ min: 1, max: 30 }),
        (text, columns) => assert.ok(displayWidth(cutToWidth(text, columns)) <= columns),
      ),
      { numRuns: 300 },
    );
  });
});
