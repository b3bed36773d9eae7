import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutAtWord, oneLine, plural, truncate, wrapWords } from './text.ts';

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
