import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Restart } from './child.ts';
import type { Exit } from './exit.ts';
import type { Strategy } from './restart-strategy.ts';
import { shouldRestart, restartedTogether } from './restart-strategy.ts';

describe('whether a child that exited is restarted', () => {
  const normal: Exit = { kind: 'normal' };
  const shutdown: Exit = { kind: 'shutdown' };
  const detailed: Exit = { kind: 'shutdown', detail: 'work done' };
  const killed: Exit = { kind: 'killed' };
  const failed: Exit = { kind: 'failed', reason: 'boom' };
  const cases: [Restart, ends: Exit[], expected: boolean][] = [
    ['permanent', [normal, shutdown, detailed, killed, failed], true],
    ['transient', [normal, shutdown, detailed], false],
    ['transient', [killed, failed], true],
    ['temporary', [normal, shutdown, detailed, killed, failed], false],
  ];
  for (const [restart, ends, expected] of cases) {
    for (const exit of ends) {
      test(`${restart} after ${JSON.stringify(exit)}: ${expected ? 'yes' : 'no'}`, () => {
        assert.equal(shouldRestart(restart, exit), expected);
      });
    }
  }
});

describe('restarted with the child that exited', () => {
  const children = ['first', 'second', 'third'];
  const cases: [why: string, Strategy, ended: string, expected: string[]][] = [
    ['one for one: no other', 'one-for-one', 'second', ['second']],
    ['dynamic: no other', 'dynamic', 'second', ['second']],
    ['one for all: all', 'one-for-all', 'second', ['first', 'second', 'third']],
    ['rest for one: those started later', 'rest-for-one', 'second', ['second', 'third']],
    ['rest for one, the first: all', 'rest-for-one', 'first', ['first', 'second', 'third']],
    ['rest for one, the last: no other', 'rest-for-one', 'third', ['third']],
  ];
  for (const [why, strategy, ended, expected] of cases) {
    test(why, () => assert.deepEqual(restartedTogether(strategy, children, ended), expected));
  }
});
