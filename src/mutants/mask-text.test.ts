import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TextSyntax } from './mask-text.ts';
import { maskText } from './mask-text.ts';

const C: TextSyntax = {
  lineComments: ['//'],
  blockComments: [['/*', '*/']],
  quotes: ['"', "'", '`'],
};
const PYTHON: TextSyntax = {
  lineComments: ['#'],
  blockComments: [],
  quotes: ['"""', "'''", '"', "'"],
};

const CASES: readonly (readonly [why: string, syntax: TextSyntax, text: string, masked: string])[] =
  [
    ['code stays', C, 'a < b', 'a < b'],
    ['a comment is hidden up to the end of its line', C, 'a // b\nc', 'a ____\nc'],
    ['a block is hidden', C, 'a /* b\nc */ d', 'a ____\n____ d'],
    ['a string is hidden', C, 'f("a < b")', 'f(_______)'],
    ['an escaped quote ends no string', C, String.raw`"a\"b" c`, '______ c'],
    ['a comment in a string is none', C, '"//" a', '____ a'],
    ['an apostrophe alone hides only itself', C, "&'a str < b\n", '&_a str < b\n'],
    [
      'a text in three quotes has many lines',
      PYTHON,
      'x = """a\n"b" < 3"""\ny',
      'x = ____\n__________\ny',
    ],
    ['a comment of Python is hidden', PYTHON, 'a # b < c', 'a _______'],
    ['an open text hides the rest', PYTHON, '"""a < b', '________'],
    ['an open block hides the rest', C, '/* a', '____'],
  ];

describe('the code of a text', () => {
  for (const [why, syntax, text, masked] of CASES)
    test(why, () => assert.equal(maskText(text, syntax), masked));
});
