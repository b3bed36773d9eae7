import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneLine, truncate } from './text.ts';

test('a text that fits stays as it is, and a longer one ends with an ellipsis within the bound', () => {
  assert.deepEqual(
    ['', 'four', 'fives'].map((text) => truncate(text, 4)),
    ['', 'four', 'fiv…'],
  );
});

test('a text on one line has single spaces and none at its ends', () => {
  assert.equal(oneLine('  a\tb\n\n c \r\n'), 'a b c');
});
