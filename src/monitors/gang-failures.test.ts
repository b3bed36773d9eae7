import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GangFailures } from './gang-failures.ts';
import { foldGang, NO_GANG } from './gang-failures.ts';

/** `a0 b5`: which child failed, and when. */
function play(failures: string): number[] {
  let gang: GangFailures = NO_GANG;
  return failures.split(' ').map((one) => {
    const { gang: next, failed } = foldGang(gang, one.slice(0, 1), Number(one.slice(1)), {
      failed: 3,
      withinMs: 10,
    });
    gang = next;
    return failed;
  });
}

describe('children that fail', () => {
  const cases: [why: string, failures: string, said: number[]][] = [
    ['three of them within the window are a gang', 'a0 b1 c2', [0, 0, 3]],
    ['one child that fails repeatedly is not a gang', 'a0 a1 a2 a3', [0, 0, 0, 0]],
    ['three failures over a longer time are not a gang', 'a0 b5 c10', [0, 0, 0]],
    ['the last failure of each child counts', 'a0 b8 a9 c12', [0, 0, 0, 3]],
    ['a gang is reported once in a window', 'a0 b1 c2 d3 e4 f5 a11', [0, 0, 3, 0, 0, 0, 0]],
    ['a gang is reported again after the window', 'a0 b1 c2 d12 e13 f14', [0, 0, 3, 0, 0, 3]],
  ];
  for (const [why, failures, said] of cases)
    test(why, () => assert.deepEqual(play(failures), said));
});
