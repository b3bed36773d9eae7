import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChildSpec, Restart } from './child.ts';
import type { RestartDecision } from './decide-restart.ts';
import { decideAfterExit } from './decide-restart.ts';
import type { Exit } from './exit.ts';
import type { Strategy } from './restart-strategy.ts';
import type { AutoShutdown, ChildStatus } from './supervisor-spec.ts';

function child(restart: Restart, significant = false): ChildSpec {
  return { id: 'it', restart, significant, start: async () => ({ kind: 'ignored' }) };
}

const plain = child('transient');
const matters = child('transient', true);
const normal: Exit = { kind: 'normal' };
const boom: Exit = { kind: 'failed', reason: 'boom' };

describe('after a child has exited', () => {
  type Others = [ChildSpec, ChildStatus][];
  const cases: [why: string, Strategy, AutoShutdown, ChildSpec, Exit, Others, RestartDecision][] = [
    ['a failure is restarted', 'one-for-one', 'never', plain, boom, [], 'restart'],
    ['an intended exit is left', 'one-for-one', 'never', plain, normal, [], 'leave'],
    [
      'an insignificant child does not end the supervisor',
      'one-for-one',
      'any-significant',
      plain,
      normal,
      [],
      'leave',
    ],
    [
      'any significant child ends the supervisor',
      'one-for-one',
      'any-significant',
      matters,
      normal,
      [[child('transient', true), 'running']],
      'shut-down',
    ],
    [
      'a significant child that is restarted does not end the supervisor',
      'one-for-one',
      'any-significant',
      matters,
      boom,
      [],
      'restart',
    ],
    [
      'a significant child that is not the last does not end the supervisor',
      'one-for-one',
      'all-significant',
      matters,
      normal,
      [[child('transient', true), 'running']],
      'leave',
    ],
    [
      'a child that is being restarted still counts',
      'one-for-one',
      'all-significant',
      matters,
      normal,
      [[child('transient', true), 'restarting']],
      'leave',
    ],
    [
      'the last significant child ends the supervisor, whatever else runs',
      'one-for-one',
      'all-significant',
      matters,
      normal,
      [
        [child('transient', true), 'absent'],
        [child('permanent'), 'running'],
      ],
      'shut-down',
    ],
    ['a failure is reverted', 'revert', 'never', child('permanent'), boom, [], 'revert'],
    [
      'an intended exit of a permanent child is not reverted',
      'revert',
      'never',
      child('permanent'),
      normal,
      [],
      'leave',
    ],
  ];
  for (const [why, strategy, autoShutdown, ended, exit, others, expected] of cases) {
    test(why, () => {
      const members = others.map(([spec, status]) => ({ spec, status }));
      const all = [...members, { spec: ended, status: 'absent' as const }];
      assert.equal(decideAfterExit(strategy, autoShutdown, ended, exit, all), expected);
    });
  }
});
