import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { formatDate } from '../base/format-time.ts';
import { fittedWrite, printable } from './cli-context.ts';

describe('text from an agent or a file', () => {
  const cases: [why: string, given: string, shown: string][] = [
    ['plain text stays', 'naïve — 東京 🚀\n\ttab', 'naïve — 東京 🚀\n\ttab'],
    ['a color code is escaped', '\u001B[31mred', '\\x1b[31mred'],
    ['a code that clears the screen is escaped', '\u001B[2J\u001B[H', '\\x1b[2J\\x1b[H'],
    ['a code that sets the title is escaped', '\u001B]0;title\u0007', '\\x1b]0;title\\x07'],
    ['the one-byte form of an escape code is escaped', '\u009B31m', '\\x9b31m'],
    ['a carriage return cannot overwrite a line', 'good\rbad', 'goodbad'],
    ['a Windows line end becomes a line end', 'a\r\nb', 'a\nb'],
    ['NUL and backspace are escaped', 'a\u0000b\u0008', 'a\\x00b\\x08'],
    [
      'marks that change the text direction are escaped',
      'a\u202Eb\u2066c\u061C',
      'a\\u202eb\\u2066c\\u061c',
    ],
    ['invisible characters are escaped', 'a\u200Bb\uFEFF\u{E0041}', 'a\\u200bb\\ufeff\\u{e0041}'],
    [
      'joiners in emoji and in languages stay',
      '👩\u200D👧 نمی\u200Cخواهم',
      '👩\u200D👧 نمی\u200Cخواهم',
    ],
  ];
  for (const [why, given, shown] of cases) {
    test(`case 41: ${why}`, () => assert.equal(printable(given), shown));
  }

  test('case 41: no text can control a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // oxlint-disable-next-line no-control-regex -- finding control characters is the point
        const unsafe = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E]/;
        assert.doesNotMatch(printable(text), unsafe);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the text of every command', () => {
  const now = Date.parse('2026-03-05T12:00:00Z');
  const write = (text: string, form?: 'verbatim'): string => {
    let shown = '';
    const terminal = { isTty: false, width: 80, colour: false };
    fittedWrite(
      (one) => (shown += one),
      () => terminal,
      () => now,
    )(text, form);
    return shown;
  };

  test('has local times, whatever wrote it', () => {
    const at = '2026-03-01T11:30:00.000Z';
    assert.equal(
      write(`main is cooling down until ${at}\n`),
      `main is cooling down until ${formatDate(Date.parse(at))}\n`,
    );
  });

  test('leaves data as it is', () => {
    assert.equal(
      write('{"at":"2026-03-01T11:30:00.000Z"}\n', 'verbatim'),
      '{"at":"2026-03-01T11:30:00.000Z"}\n',
    );
  });
});
