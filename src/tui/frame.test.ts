import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { frameUpdate, spokenUpdate } from './frame.ts';

const MARKS = ['\u001B[?2026h', '\u001B[?2026l'] as const;
const at = (row: number, text: string): string => `\u001B[${row};1H\u001B[2K${text}`;

const frames: readonly [
  why: string,
  before: readonly string[] | null,
  after: readonly string[],
  written: string,
][] = [
  ['nothing changed', ['a', 'b'], ['a', 'b'], ''],
  ['one line changed', ['a', 'b'], ['a', 'c'], MARKS.join(at(2, 'c'))],
  ['a line is gone', ['a', 'b'], ['a'], MARKS.join(at(2, ''))],
  ['the screen is unknown', null, ['a'], MARKS.join(`\u001B[2J${at(1, 'a')}`)],
];

describe('the next frame', () => {
  for (const [why, before, after, written] of frames)
    test(`writes only what differs: ${why}`, () =>
      assert.equal(frameUpdate(before, after), written));

  test('is read aloud once for each new line', () => {
    assert.equal(spokenUpdate(null, ['a', '', 'b']), 'a\nb\n');
    assert.equal(spokenUpdate(['a', 'b'], ['a', 'c', 'b']), 'c\n');
  });
});
