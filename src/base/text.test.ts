import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutAtWord, joinLines, keepEnd, oneLine, plural, truncate, wrapWords } from './text.ts';

test('a text that fits stays as it is, and a longer one ends with an ellipsis within the bound', () => {
  assert.deepEqual(
    ['', 'four', 'fives'].map((text) => truncate(text, 4)),
    ['', 'four', 'fiv…'],
  );
});

test('a text is cut between two words, and within a word only if that word is long', () => {
  assert.deepEqual(
    ['four five', 'four fives', 'x'.repeat(20), `${'x'.repeat(8)}\u{1F600}x`].map((text) =>
      cutAtWord(text, 9 + Number(text.startsWith('xxxxxxxx\u{1F600}'))),
    ),
    ['four five', 'four…', `${'x'.repeat(8)}…`, `${'x'.repeat(8)}…`],
  );
});

test('a text on one line has single spaces and none at its ends', () => {
  assert.equal(oneLine('  a\tb\n\n c \r\n'), 'a b c');
});

test('lines become sentences on one line', () => {
  const cases: [lines: string, line: string][] = [
    ['Unknown command: "tets"\nCorrect the gate', 'Unknown command: "tets". Correct the gate'],
    ['It failed.\n\nTry again', 'It failed. Try again'],
    ['SUCCESS: 1 file, 0 tests', 'SUCCESS: 1 file, 0 tests'],
    ['expected\n  42', 'expected 42'],
    ['Really?\nYes', 'Really? Yes'],
  ];
  for (const [lines, line] of cases) assert.equal(joinLines(lines), line);
});

test('a long text loses its middle, and the sentences that say what to do stay whole', () => {
  const remedy =
    'Did you mean: npm test? Correct the gate, or start without it: --without-baseline';
  const cases: [why: string, text: string, max: number, expected: string][] = [
    ['it fits', 'It failed.\nTry again.', 100, 'It failed. Try again.'],
    ['it is cut', `${'x'.repeat(200)}\n${remedy}`, 130, `${'x'.repeat(47)}… ${remedy}`],
    [
      'there is little room',
      `${'x'.repeat(200)}\n${remedy}`,
      30,
      `${'x'.repeat(39)}… Correct the gate, or start without it: --without-baseline`,
    ],
    ['there is one sentence', 'x'.repeat(200), 30, `${'x'.repeat(29)}…`],
    [
      'it is the output of a program below what happened',
      `The setup failed.\n${'Retrying. It Failed\n'.repeat(4)}`,
      60,
      'The setup failed.',
    ],
    ['the end is output', `It failed. ${'X'.repeat(400)}`, 30, `It failed. ${'X'.repeat(18)}…`],
  ];
  for (const [why, text, max, expected] of cases) assert.equal(keepEnd(text, max), expected, why);
});

test('a count of one has the singular, and every other count the plural', () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => plural(count, 'file')),
    ['0 files', '1 file', '2 files'],
  );
  assert.deepEqual(
    [1, 2].map((count) => plural(count, 'more life', 'more lives')),
    ['1 more life', '2 more lives'],
  );
});

test('a text is wrapped between words, and a long word stays whole', () => {
  assert.deepEqual(wrapWords('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrapWords('a verylongword b', 6), ['a', 'verylongword', 'b']);
  assert.deepEqual(wrapWords('', 6), ['']);
  assert.deepEqual(wrapWords('  indented line', 9), ['  indented', 'line']);
});
