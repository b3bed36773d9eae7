import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { printable } from './cli-context.ts';

describe('text that somebody else wrote', () => {
  const cases: [why: string, given: string, shown: string][] = [
    ['plain words stay', 'naïve — 東京 🚀\n\ttab', 'naïve — 東京 🚀\n\ttab'],
    ['a colour is shown', '\u001B[31mred', '\\x1b[31mred'],
    ['clearing the screen is shown', '\u001B[2J\u001B[H', '\\x1b[2J\\x1b[H'],
    ['a title is shown', '\u001B]0;title\u0007', '\\x1b]0;title\\x07'],
    ['the one-byte form of escape is shown', '\u009B31m', '\\x9b31m'],
    ['a return can not write over a line', 'good\rbad', 'goodbad'],
    ['a line end of Windows is a line end', 'a\r\nb', 'a\nb'],
    ['NUL and backspace are shown', 'a\u0000b\u0008', 'a\\x00b\\x08'],
    ['text can not be turned around', 'a\u202Eb\u2066c\u061C', 'a\\u202eb\\u2066c\\u061c'],
    ['words can not hide', 'a\u200Bb\uFEFF\u{E0041}', 'a\\u200bb\\ufeff\\u{e0041}'],
    ['a family is still one', '👩\u200D👧 نمی\u200Cخواهم', '👩\u200D👧 نمی\u200Cخواهم'],
  ];
  for (const [why, given, shown] of cases) {
    test(`case 41: ${why}`, () => assert.equal(printable(given), shown));
  }

  test('case 41: whatever it is, it can not steer a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // oxlint-disable-next-line no-control-regex -- finding control characters is the point
        const steering = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E]/;
        assert.doesNotMatch(printable(text), steering);
      }),
      { numRuns: 50 },
    );
  });
});
