import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RestartWorth } from './restart-worthy.ts';
import { restartWorth, restartWorthOfFailedTests } from './restart-worthy.ts';

describe('a failure', () => {
  const cases: [why: string, Parameters<typeof restartWorth>[0], RestartWorth][] = [
    ['a failed network may be back', 'network', 'restart'],
    ['a limit ends', 'rate_limited', 'restart'],
    ['a timeout may be random', 'deadline', 'restart'],
    ['a session that is too long is replaced by a new one', 'context_overflow', 'restart'],
    ['a crashed agent is restarted', 'crashed', 'restart'],
    ['an agent without memory is restarted', 'oom', 'restart'],
    ['an agent that was interrupted with its owner is restarted', 'interrupted', 'restart'],
    ['a missing login needs a person', 'auth', 'ask'],
    ['a missing program needs a person', 'agent_missing', 'ask'],
    ['a spent budget needs a person', 'budget', 'ask'],
    ['a blocked agent needs a person', 'blocked', 'ask'],
  ];
  for (const [why, what, expected] of cases)
    test(why, () => assert.equal(restartWorth(what), expected));
});

test('failed tests get two more tries', () => {
  assert.deepEqual([1, 2, 3, 4].map(restartWorthOfFailedTests), [
    'restart',
    'restart',
    'ask',
    'ask',
  ]);
});
