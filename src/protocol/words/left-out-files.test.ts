import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeLeftOut } from './left-out-files.ts';

const file = { path: 'a', added: 1, removed: 0 };

describe('what a shown change leaves out', () => {
  const cases: [
    why: string,
    files: number,
    leftOut: number,
    shown: number,
    words: string | null,
  ][] = [
    ['is nothing', 2, 0, 2, null],
    ['is one file', 3, 1, 2, '1 file of 3 is too large to show here: supervisor diff a'],
    [
      'is all of it, which is not the same as no change',
      2,
      2,
      0,
      '2 files of 2 are too large to show here: supervisor diff a',
    ],
    ['is nothing of no change', 0, 0, 0, 'The work changes no file.'],
  ];
  for (const [why, files, leftOut, shown, words] of cases)
    test(why, () =>
      assert.equal(
        describeLeftOut('a', { files: Array.from({ length: files }, () => file), leftOut }, shown),
        words,
      ),
    );
});
