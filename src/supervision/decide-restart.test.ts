import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChildSpec, Restart } from './child.ts';
import type { RestartDecision } from './decide-restart.ts';
import { afterExit } from './decide-restart.ts';
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

describe('after a child has ended', () => {
  type Others = [ChildSpec, ChildStatus][];
  const cases: [why: string, Strategy, AutoShutdown, ChildSpec, Exit, Others, RestartDecision][] = [
    ['a failure is restarted', 'one-for-one', 'never', plain, boom, [], 'restart'],
    ['a meant end is left', 'one-for-one', 'never', plain, normal, [], 'leave'],
    [
      'an insignificant one ends nobody',
      'one-for-one',
      'any-significant',
      plain,
      normal,
      [],
      'leave',
    ],
    [
      'any significant one ends all',
      'one-for-one',
      'any-significant',
      matters,
      normal,
      [[child('transient', true), 'running']],
      'shut-down',
    ],
    [
      'a significant one that comes back ends nobody',
      'one-for-one',
      'any-significant',
      matters,
      boom,
      [],
      'restart',
    ],
    [
      'not the last significant one',
      'one-for-one',
      'all-significant',
      matters,
      normal,
      [[child('transient', true), 'running']],
      'leave',
    ],
    [
      'one that is being restarted is not gone',
      'one-for-one',
      'all-significant',
      matters,
      normal,
      [[child('transient', true), 'restarting']],
      'leave',
    ],
    [
      'the last significant one, whatever else runs',
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
      'a meant end is not, however permanent',
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
      const members = others.map(([spec, standing]) => ({ spec, standing }));
      const all = [...members, { spec: ended, standing: 'absent' as const }];
      assert.equal(afterExit(strategy, autoShutdown, ended, exit, all), expected);
    });
  }
});
