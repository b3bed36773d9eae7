import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChildEnd, Restart, Strategy } from './strategy.ts';
import { comesBack, restartedWith } from './strategy.ts';

describe('a child that ended comes back', () => {
  const cases: [Restart, ChildEnd, boolean][] = [
    ['permanent', 'normal', true],
    ['permanent', 'shutdown', true],
    ['permanent', 'failed', true],
    ['transient', 'normal', false],
    ['transient', 'shutdown', false],
    ['transient', 'failed', true],
    ['temporary', 'normal', false],
    ['temporary', 'shutdown', false],
    ['temporary', 'failed', false],
  ];
  for (const [restart, end, expected] of cases) {
    test(`${restart} after ${end}: ${expected ? 'yes' : 'no'}`, () => {
      assert.equal(comesBack(restart, end), expected);
    });
  }
});

describe('restarted with the one that ended', () => {
  const children = ['first', 'second', 'third'];
  const cases: [why: string, Strategy, ended: string, expected: string[]][] = [
    ['one for one: nobody else', 'one-for-one', 'second', ['second']],
    ['one for all: everybody', 'one-for-all', 'second', ['first', 'second', 'third']],
    ['rest for one: those started later', 'rest-for-one', 'second', ['second', 'third']],
    ['rest for one, the first: everybody', 'rest-for-one', 'first', ['first', 'second', 'third']],
    ['rest for one, the last: nobody else', 'rest-for-one', 'third', ['third']],
  ];
  for (const [why, strategy, ended, expected] of cases) {
    test(why, () => assert.deepEqual(restartedWith(strategy, children, ended), expected));
  }

  test('a stranger is a defect under every strategy', () => {
    const strategies: Strategy[] = ['one-for-one', 'one-for-all', 'rest-for-one'];
    for (const strategy of strategies) {
      assert.throws(() => restartedWith(strategy, children, 'stranger'), RangeError);
    }
  });
});
