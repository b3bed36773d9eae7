import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hangingLines } from './hanging-lines.ts';

const TEXT = 'attempt-1 completed: the total of the cart is right';

describe('a line that is too long for the terminal', () => {
  const cases: [why: string, width: number, isTty: boolean, expected: string][] = [
    ['fits', 80, true, TEXT],
    [
      'continues below its beginning',
      50,
      true,
      'attempt-1 completed: the total of the\n          cart is right',
    ],
    ['stays whole without a terminal', 50, false, TEXT],
    ['stays whole on a screen that is too narrow for a margin', 30, true, TEXT],
  ];
  for (const [why, width, isTty, expected] of cases)
    test(why, () => {
      const terminal = { width, isTty, colour: false };
      assert.equal(hangingLines({ terminal }, TEXT, 10), expected);
    });
});
