import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Activity } from '../protocol/activity.ts';
import type { AgentRule } from '../protocol/agent-rules.ts';
import { judgeActivity, selfModification } from './violations.ts';

const rules: readonly AgentRule[] = [
  selfModification(['/srv/app/.supervisor', '/home/me/.supervisor']),
  { name: 'scratch', action: 'log', when: { kind: 'outside', folders: ['/srv', '/tmp'] } },
  { name: 'folders', action: 'pause', when: { kind: 'outside', folders: ['/srv/app'] } },
  { name: 'warn early', action: 'warn', when: { kind: 'over-budget', usd: 4 } },
  { name: 'budget', action: 'pause', when: { kind: 'over-budget', usd: 5 } },
  { name: 'children', action: 'notify', when: { kind: 'too-many-children', max: 3 } },
  {
    name: 'network',
    action: 'reap',
    when: { kind: 'unknown-host', hosts: ['a.example', '*.b.example'] },
  },
  { name: 'no push', action: 'warn', when: { kind: 'command', words: ['git', 'push'] } },
];

const write = (path: string): Activity => ({ kind: 'write', path });
const connect = (host: string): Activity => ({ kind: 'connect', host });
const command = (...argv: string[]): Activity => ({ kind: 'command', argv });

describe('what an agent tries', () => {
  const cases: [why: string, Activity, expected: string][] = [
    ['its own folder is its own', write('/srv/app/src/a.ts'), '-'],
    ['a neighbour is not', write('/srv/other/a.ts'), 'pause folders'],
    ['nor is a folder whose name begins like it', write('/srv/app2/a.ts'), 'pause folders'],
    ['nor what dots lead to', write('/srv/app/../other/a.ts'), 'pause folders'],
    ['the first rule that matches decides', write('/etc/passwd'), 'log scratch'],
    ['a path from nowhere is inside of nothing', write('a.ts'), 'log scratch'],
    [
      'its rules are not for it to write',
      write('/srv/app/.supervisor/config.yaml'),
      'reap self-modification',
    ],
    [
      'not by a way around either',
      write('/srv/app/src/../.supervisor/roles'),
      'reap self-modification',
    ],
    ['nor the folder itself', write('/home/me/.supervisor'), 'reap self-modification'],
    ['spending within the budget is fine', { kind: 'spend', usd: 4 }, '-'],
    ['near its end it is warned', { kind: 'spend', usd: 4.5 }, 'warn warn early'],
    ['as many children as allowed are fine', { kind: 'spawn', children: 3 }, '-'],
    ['one more is told', { kind: 'spawn', children: 4 }, 'notify children'],
    ['a known host is fine', connect('A.example'), '-'],
    ['so is one below a known one', connect('x.b.example.'), '-'],
    ['the one above it is not', connect('b.example'), 'reap network'],
    ['nor one that ends like it', connect('evil-b.example'), 'reap network'],
    [
      'a blocked command is, wherever it lies',
      command('/usr/bin/git', 'push', '-f'),
      'warn no push',
    ],
    ['another of the same program is not', command('git', 'status'), '-'],
  ];
  for (const [why, deed, expected] of cases) {
    test(why, () => {
      const found = judgeActivity(rules, deed);
      assert.equal(found === undefined ? '-' : `${found.action} ${found.rule}`, expected);
    });
  }

  test('a violation says what was tried', () => {
    assert.deepEqual(judgeActivity(rules, connect('c.example')), {
      rule: 'network',
      action: 'reap',
      what: 'connects to c.example',
    });
  });

  test('where there are no rules nothing is wrong', () => {
    assert.equal(judgeActivity([], write('/etc/passwd')), undefined);
  });
});
