import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Diagnosis } from '../protocol/views/diagnosis.ts';
import { answered, failed, goodMachine } from '../../test/support/machine-facts-fixture.ts';
import { diagnose } from './diagnose.ts';
import type { MachineFacts } from './machine-facts.ts';

const absent = { kind: 'absent' } as const;
const refused = failed('/usr/bin/bwrap', 1, 'bwrap: setting up uid map: Permission denied\n');
const noLogin = { agents: goodMachine.agents.map((agent) => ({ ...agent, logins: [] })) };

describe('the verdict', () => {
  const hello = 'supervisor run "Say hello in hello.txt" --agent';
  const cases: [
    why: string,
    change: Partial<MachineFacts>,
    verdict: Partial<Diagnosis['verdict']>,
  ][] = [
    [
      'a good machine',
      {},
      {
        ready: ['claude', 'scripted'],
        suggestion: {
          because: 'You have Claude Code 2.1.4, logged in.',
          command: `${hello} claude`,
        },
      },
    ],
    [
      'no CLI is logged in',
      noLogin,
      {
        ready: ['scripted'],
        suggestion: {
          because: 'No agent CLI is ready. You can try the scripted agent, which needs none.',
          command: 'supervisor run "Write 5 steps into WORK.md" --agent scripted',
        },
      },
    ],
    [
      'an old Node',
      { node: { version: '20.0.0', path: '/n' } },
      {
        canRun: false,
        blockers: ['node'],
        suggestion: {
          because: 'Node.js: older than 24, which Supervisor needs.',
          command: "npx -p node@24 node '/opt/agent supervisor/bin/supervisor.js' doctor",
        },
      },
    ],
    [
      'a full disk, which no command fixes',
      { state: { ...goodMachine.state, disk: { freeBytes: 0, isRemote: false } } },
      { canRun: false, blockers: ['disk'], suggestion: null },
    ],
    [
      'a disk that fills up is no reason not to run',
      { state: { ...goodMachine.state, disk: { freeBytes: 1e9, isRemote: false } } },
      { canRun: true, blockers: [] },
    ],
    ['no git is no reason not to run', { git: absent }, { canRun: true }],
    [
      'docker where there is no bubblewrap',
      { bubblewrap: { version: absent, trial: null }, docker: answered('/d', '28.2.2') },
      { sandbox: 'docker' },
    ],
    [
      'a sandbox that failed its trial is none',
      { bubblewrap: { ...goodMachine.bubblewrap, trial: refused } },
      {
        sandbox: null,
        suggestion: {
          because: 'Install a sandbox for every other run.',
          command: 'supervisor run "Write 5 steps into WORK.md" --agent scripted',
        },
      },
    ],
  ];
  for (const [why, change, expected] of cases) {
    test(why, () => {
      const { verdict } = diagnose({ ...goodMachine, ...change });
      assert.deepEqual(verdict, { ...verdict, ...expected });
    });
  }
});

test('a diagnosis is JSON of its published form', () => {
  const diagnosis = diagnose(goodMachine);
  assert.deepEqual(Diagnosis.parse(JSON.parse(JSON.stringify(diagnosis))), diagnosis);
});
