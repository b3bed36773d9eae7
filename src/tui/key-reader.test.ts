import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { KeyReader } from './key-reader.ts';

function read(...chunks: readonly string[]): readonly string[] {
  const reader = new KeyReader();
  const keys = [...chunks.flatMap((chunk) => reader.read(chunk)), ...reader.flush()];
  return keys.map((key) => (key.kind === 'key' ? `<${key.name}>` : key.text));
}

const cases: readonly [why: string, chunks: readonly string[], keys: readonly string[]][] = [
  ['letters', ['jk'], ['j', 'k']],
  ['arrows of both modes', ['\u001B[A\u001BOB'], ['<up>', '<down>']],
  [
    'a sequence in two pieces, as a slow line brings it',
    ['\u001B', '[5', '~x'],
    ['<page-up>', 'x'],
  ],
  ['the Escape key alone', ['\u001B'], ['<escape>']],
  ['Escape and a letter', ['\u001Bq'], ['<escape>', 'q']],
  ['a sequence that means nothing here', ['\u001B[99~q'], ['q']],
  ['a character of several code units', ['é👍'], ['é', '👍']],
  ['a paste in two pieces', ['\u001B[200~a\nb', 'c\u001B[201~d'], ['a bc', 'd']],
  ['other control characters do nothing', ['\u0000\u0001a'], ['a']],
];

describe('the bytes of a terminal', () => {
  for (const [why, chunks, keys] of cases)
    test(`are keys: ${why}`, () => assert.deepEqual(read(...chunks), keys));

  test('end a long paste, wherever its end is split', () => {
    for (const at of [1, 2, 3, 4, 5]) {
      const whole = `\u001B[200~${'a'.repeat(15_000)}\u001B[201~q`;
      const cut = whole.length - 1 - at;
      const [pasted, ...others] = read(whole.slice(0, cut), whole.slice(cut));
      assert.match(pasted ?? '', /^a{9000,10000}$/);
      assert.deepEqual(others, ['q']);
    }
  });

  test('are read to their end, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (chunks) => {
        const reader = new KeyReader();
        for (const chunk of chunks) reader.read(chunk);
        reader.flush();
      }),
      { numRuns: 100 },
    );
  });
});
