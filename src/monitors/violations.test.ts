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

describe('the activity of an agent', () => {
  const cases: [why: string, Activity, expected: string][] = [
    ['writing to its own folder is allowed', write('/srv/app/src/a.ts'), '-'],
    ['writing to a neighbouring folder is a violation', write('/srv/other/a.ts'), 'pause folders'],
    [
      'writing to a folder with the same prefix is a violation',
      write('/srv/app2/a.ts'),
      'pause folders',
    ],
    ['a path with dots is resolved first', write('/srv/app/../other/a.ts'), 'pause folders'],
    ['the first rule that matches decides', write('/etc/passwd'), 'log scratch'],
    ['a relative path is inside no folder', write('a.ts'), 'log scratch'],
    [
      'writing to its own rules is a violation',
      write('/srv/app/.supervisor/config.yaml'),
      'reap self-modification',
    ],
    [
      'writing to its own rules by a detour is a violation',
      write('/srv/app/src/../.supervisor/roles'),
      'reap self-modification',
    ],
    [
      'replacing the folder of its rules is a violation',
      write('/home/me/.supervisor'),
      'reap self-modification',
    ],
    ['spending within the budget is allowed', { kind: 'spend', usd: 4 }, '-'],
    [
      'near the end of the budget the agent is warned',
      { kind: 'spend', usd: 4.5 },
      'warn warn early',
    ],
    ['as many children as configured are allowed', { kind: 'spawn', children: 3 }, '-'],
    ['one more child is reported', { kind: 'spawn', children: 4 }, 'notify children'],
    ['a known host is allowed', connect('A.example'), '-'],
    ['a subdomain of a known host is allowed', connect('x.b.example.'), '-'],
    ['the parent of a wildcard host is a violation', connect('b.example'), 'reap network'],
    ['a host with the same suffix is a violation', connect('evil-b.example'), 'reap network'],
    [
      'a blocked command is a violation, whatever its path',
      command('/usr/bin/git', 'push', '-f'),
      'warn no push',
    ],
    ['another command of the same program is allowed', command('git', 'status'), '-'],
  ];
  for (const [why, deed, expected] of cases) {
    test(why, () => {
      const found = judgeActivity(rules, deed);
      assert.equal(found === undefined ? '-' : `${found.action} ${found.rule}`, expected);
    });
  }

  test('a violation describes the activity', () => {
    assert.deepEqual(judgeActivity(rules, connect('c.example')), {
      rule: 'network',
      action: 'reap',
      what: 'connects to c.example',
    });
  });

  test('without rules there are no violations', () => {
    assert.equal(judgeActivity([], write('/etc/passwd')), undefined);
  });
});
