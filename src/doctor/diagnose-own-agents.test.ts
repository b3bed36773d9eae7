import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FindingCase } from '../../test/support/finding-cases.ts';
import { testFindings } from '../../test/support/finding-cases.ts';
import { goodMachine } from '../../test/support/machine-facts-fixture.ts';
import { diagnose } from './diagnose.ts';
import { diagnoseAgents } from './diagnose-agents.ts';
import type { MachineFacts, OwnAgentFacts } from './machine-facts.ts';

const BASE = { isOfProject: false, model: null, logins: [], program: null, path: null } as const;

function declared(facts: Partial<OwnAgentFacts>): Partial<MachineFacts> {
  return { ownAgents: [{ ...BASE, id: 'mine', cli: 'custom', ...facts }] };
}

const KEY = { kind: 'variable', name: 'ANTHROPIC_API_KEY' } as const;

describe('an agent that settings declare', () => {
  const cases: readonly FindingCase[] = [
    [
      'a program in PATH',
      declared({ program: 'house-bot', path: '/usr/bin/house-bot' }),
      'mine',
      ['ok', '/usr/bin/house-bot', 'from your settings', null],
    ],
    [
      'a program that is nowhere',
      declared({ program: 'house-bot' }),
      'mine',
      ['missing', null, 'house-bot is not installed, or not in your PATH', null],
    ],
    [
      'a script that this project lacks',
      declared({ program: './agent.sh' }),
      'mine',
      ['missing', null, './agent.sh is not an executable file of this project', null],
    ],
    [
      'a program that only a run knows',
      declared({ program: '{home}/bin/x' }),
      'mine',
      ['limited', null, 'only a run knows the place of {home}/bin/x', null],
    ],
    [
      'a CLI with a model and a key of its own',
      declared({ id: 'opus', cli: 'claude', model: 'opus', logins: [KEY] }),
      'opus',
      [
        'ok',
        'claude 2.1.4, with ANTHROPIC_API_KEY',
        'from your settings; model opus; tested with 2.1.325',
        null,
      ],
    ],
    [
      'a CLI that is not installed',
      declared({ id: 'fast', cli: 'codex' }),
      'fast',
      [
        'missing',
        null,
        'codex is not installed',
        ['npm install --global @openai/codex@latest', 'codex login'],
      ],
    ],
    [
      'the name of a CLI, which it replaces',
      declared({ id: 'claude', cli: 'claude', logins: [] }),
      'claude',
      ['limited', 'claude 2.1.4', 'no login found', ['claude auth login']],
    ],
    [
      'a program that the project declares',
      declared({ isOfProject: true, program: './a', path: '/p/a' }),
      'mine',
      ['ok', '/p/a', 'from this project', null],
    ],
    [
      'a scripted agent',
      declared({ id: 'play', cli: 'scripted', model: 'crashes' }),
      'play',
      ['ok', 'built in', 'from your settings; model crashes', null],
    ],
  ];
  testFindings(cases, diagnoseAgents);

  test('is one of the ready agents, and is suggested if no CLI is ready', () => {
    const own = declared({ program: 'house-bot', path: '/usr/bin/house-bot' });
    const { verdict } = diagnose({ ...goodMachine, agents: [], ...own });
    assert.deepEqual(verdict.ready, ['mine', 'scripted']);
    assert.deepEqual(verdict.suggestion, {
      because: 'You have mine (/usr/bin/house-bot).',
      command: 'supervisor run "Say hello in hello.txt" --agent mine',
    });
  });
});
