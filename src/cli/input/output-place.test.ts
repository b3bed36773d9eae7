import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OutputPlace } from './output-place.ts';

type Piece = readonly [key: string, stream: 'stdout' | 'stderr', text: string];

/** What is shown if the output breaks off after each list of pieces, and then comes again from its start. */
function shown(...readings: readonly (readonly Piece[])[]): string[] {
  const place = new OutputPlace();
  return readings.flatMap((pieces) => {
    place.rewind();
    return pieces.flatMap(([key, stream, text]) => place.take({ key, stream, text })?.text ?? []);
  });
}

describe('output that breaks off and is read again', () => {
  const rows: [why: string, actual: string[], expected: string[]][] = [
    [
      'continues in the middle of a piece',
      shown([['a', 'stdout', 'one\ntw']], [['a', 'stdout', 'one\ntwo\n']]),
      ['one\ntw', 'o\n'],
    ],
    [
      'may come in other pieces',
      shown(
        [['a', 'stdout', 'abcdef']],
        [
          ['a', 'stdout', 'abc'],
          ['a', 'stdout', 'def'],
          ['a', 'stdout', 'g'],
        ],
      ),
      ['abcdef', 'g'],
    ],
    [
      'counts each stream of each command for itself',
      shown(
        [
          ['a', 'stderr', 'warn'],
          ['a', 'stdout', 'out'],
        ],
        [
          ['a', 'stdout', 'out'],
          ['a', 'stderr', 'warning'],
          ['b', 'stdout', 'out'],
        ],
      ),
      ['warn', 'out', 'ing', 'out'],
    ],
    [
      'can break off twice',
      shown([['a', 'stdout', '1']], [['a', 'stdout', '12']], [['a', 'stdout', '123']]),
      ['1', '2', '3'],
    ],
  ];
  for (const [why, actual, expected] of rows) test(why, () => assert.deepEqual(actual, expected));
});
