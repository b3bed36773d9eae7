import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RestartWorth } from './restart-worthy.ts';
import { restartWorth, restartWorthOfFailedTests } from './restart-worthy.ts';

describe('a failure', () => {
  const cases: [why: string, Parameters<typeof restartWorth>[0], RestartWorth][] = [
    ['a network that was away may be back', 'network', 'restart'],
    ['a limit ends', 'rate_limited', 'restart'],
    ['a timeout may have been bad luck', 'deadline', 'restart'],
    [
      'a session that can not be gone on with is left for a fresh one',
      'context_overflow',
      'restart',
    ],
    ['who crashed begins again', 'crashed', 'restart'],
    ['so does who had no memory left', 'oom', 'restart'],
    ['so does who died with its owner', 'lost', 'restart'],
    ['no restart brings a login', 'auth', 'ask'],
    ['nor a program that is not there', 'agent_missing', 'ask'],
    ['nor money', 'budget', 'ask'],
    ['who is blocked says so to a person', 'blocked', 'ask'],
    ['a wrong architecture is a person’s', 'wrong-architecture', 'ask'],
    ['so is a task that was misunderstood', 'misunderstood-task', 'ask'],
  ];
  for (const [why, what, expected] of cases)
    test(why, () => assert.equal(restartWorth(what), expected));
});

test('failed tests are worth another try twice', () => {
  assert.deepEqual([1, 2, 3, 4].map(restartWorthOfFailedTests), [
    'restart',
    'restart',
    'ask',
    'ask',
  ]);
});
