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
    runnable: string[],
    verdict: Partial<Diagnosis['verdict']>,
  ][] = [
    [
      'a good machine whose CLI this release cannot run yet',
      {},
      ['scripted'],
      {
        ready: ['claude', 'scripted'],
        runnable: ['scripted'],
        suggestion: {
          because: 'You have Claude Code 2.1.4, logged in, but this release runs only scripted.',
          command: `${hello} scripted`,
        },
      },
    ],
    [
      'a good machine whose CLI can be run',
      {},
      ['scripted', 'claude'],
      {
        runnable: ['claude', 'scripted'],
        suggestion: {
          because: 'You have Claude Code 2.1.4, logged in.',
          command: `${hello} claude`,
        },
      },
    ],
    [
      'nobody is logged in',
      noLogin,
      ['scripted', 'claude'],
      {
        ready: ['scripted'],
        runnable: ['scripted'],
        suggestion: {
          because: 'No agent CLI is ready. You can try the scripted agent, which needs none.',
          command: `${hello} scripted`,
        },
      },
    ],
    [
      'a release that runs one CLI, which is not here',
      { agents: goodMachine.agents.slice(1) },
      ['codex'],
      {
        ready: ['scripted'],
        runnable: [],
        suggestion: {
          because: 'No agent is ready yet. You can install Codex.',
          command: 'npm install --global @openai/codex@latest',
        },
      },
    ],
    [
      'an old Node',
      { node: { version: '20.0.0', path: '/n' } },
      ['scripted'],
      {
        canRun: false,
        blockers: ['node'],
        suggestion: {
          because: 'Node.js: older than 24, which Supervisor needs.',
          command: 'npx -p node@24 -p agent-supervisor supervisor doctor',
        },
      },
    ],
    [
      'a full disk, which no command mends',
      { state: { ...goodMachine.state, disk: { freeBytes: 0, isRemote: false } } },
      ['scripted'],
      { canRun: false, blockers: ['disk'], suggestion: null },
    ],
    [
      'a disk that fills up is no reason not to run',
      { state: { ...goodMachine.state, disk: { freeBytes: 1e9, isRemote: false } } },
      ['scripted'],
      { canRun: true, blockers: [] },
    ],
    ['no git is no reason not to run', { git: absent }, ['scripted'], { canRun: true }],
    [
      'docker where there is no bubblewrap',
      { bubblewrap: { version: absent, trial: null }, docker: answered('/d', '28.2.2') },
      ['scripted'],
      { sandbox: 'docker' },
    ],
    [
      'a sandbox that failed its trial is none',
      { bubblewrap: { ...goodMachine.bubblewrap, trial: refused } },
      ['scripted'],
      { sandbox: null },
    ],
  ];
  for (const [why, change, runnable, expected] of cases) {
    test(why, () => {
      const { verdict } = diagnose({ ...goodMachine, ...change }, runnable);
      assert.deepEqual(verdict, { ...verdict, ...expected });
    });
  }
});

test('a diagnosis is JSON of its published form', () => {
  const diagnosis = diagnose(goodMachine);
  assert.deepEqual(Diagnosis.parse(JSON.parse(JSON.stringify(diagnosis))), diagnosis);
});
