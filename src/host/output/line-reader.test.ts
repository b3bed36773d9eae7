import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { Line } from './line-reader.ts';
import { LineReader } from './line-reader.ts';

function read(chunks: readonly Uint8Array[], lineBytesMax?: number): readonly Line[] {
  const reader = new LineReader(lineBytesMax);
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
}

const line = (text: string, truncated = false): Line => ({ text, truncated });

describe('bytes become lines', () => {
  const cases: [why: string, text: string, lineBytesMax: number, lines: Line[]][] = [
    ['empty input has no line', '', 9, []],
    ['a line break alone is an empty line', '\n', 9, [line('')]],
    ['the last line needs no line break', 'a\nb', 9, [line('a'), line('b')]],
    ['a final line break adds no line', 'a\nb\n', 9, [line('a'), line('b')]],
    ['CRLF is one line break', 'a\r\n\r\nb', 9, [line('a'), line(''), line('b')]],
    ['a CR elsewhere is kept', 'a\rb\r', 9, [line('a\rb\r')]],
    ['NUL is a byte like any other', 'a\0b\n\0', 9, [line('a\0b'), line('\0')]],
    ['a line at the bound is whole', '123\n', 3, [line('123')]],
    ['a line with CRLF at the bound is whole', '123\r\n', 3, [line('123')]],
    [
      'a line over the bound is cut, and the next one is whole',
      '12345\n6',
      3,
      [line('123', true), line('6')],
    ],
    ['a cut line may end in CRLF too', '1234\r\n', 3, [line('123', true)]],
    ['no character is cut in two', 'aé🚀x', 5, [line('aé', true)]],
    ['a character that just fits stays', 'aé🚀x', 7, [line('aé🚀', true)]],
  ];
  for (const [why, text, lineBytesMax, lines] of cases) {
    test(why, () => assert.deepEqual(read([Buffer.from(text)], lineBytesMax), lines));
  }

  test('case 40: bytes that are not UTF-8 are replaced, and never an exception', () => {
    assert.deepEqual(read([Uint8Array.of(0x61, 0x80, 0xff, 0x0a, 0xc3)]), [line('a��'), line('�')]);
  });

  test('case 39: a line of 64 MB is kept up to a megabyte', () => {
    const chunks = Array.from({ length: 1024 }, () => new Uint8Array(65_536).fill(0x78));
    assert.deepEqual(read([...chunks, Buffer.from('\nafter\n')]), [
      line('x'.repeat(1024 * 1024), true),
      line('after'),
    ]);
  });

  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc
      .array(fc.constantFrom('a', '\n', '\r\n', '\r', '\0', 'é', '東', '🚀'), { maxLength: 30 })
      .map((parts) => new Uint8Array(Buffer.from(parts.join('')))),
  );

  test('case 40: any way to cut the bytes into pieces gives the same lines', () => {
    fc.assert(
      fc.property(
        bytes,
        fc.array(fc.nat(8), { maxLength: 60 }),
        fc.integer({ min: 1, max: 12 }),
        (all, sizes, max) => {
          const pieces: Uint8Array[] = [];
          let start = 0;
          for (const size of sizes) pieces.push(all.subarray(start, (start += size)));
          pieces.push(all.subarray(start));
          assert.deepEqual(read(pieces, max), read([all], max));
        },
      ),
    );
  });

  test('without a bound in the way, the lines are those of the whole text', () => {
    fc.assert(
      fc.property(bytes, (all) => {
        const parts = Buffer.from(all).toString('latin1').split('\n');
        const last = parts.pop() ?? '';
        const expected = [
          ...parts.map((part) => part.replace(/\r$/, '')),
          ...(last === '' ? [] : [last]),
        ];
        assert.deepEqual(
          read([all]),
          expected.map((part) => line(Buffer.from(part, 'latin1').toString('utf8'))),
        );
      }),
    );
  });
});
