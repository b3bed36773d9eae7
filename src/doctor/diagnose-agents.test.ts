import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FindingCase } from '../../test/support/finding-cases.ts';
import { testFindings } from '../../test/support/finding-cases.ts';
import { answered, goodMachine } from '../../test/support/machine-facts-fixture.ts';
import { AGENT_CLI_FACTS } from './supported-clis.ts';
import { diagnoseAgents } from './diagnose-agents.ts';
import type { LoginFact, MachineFacts } from './machine-facts.ts';

const credentials = { kind: 'file', path: '/c', expiresAt: goodMachine.at, renews: false } as const;

function claude(stdout: string, logins: readonly LoginFact[]): Partial<MachineFacts> {
  return { agents: [{ cli: 'claude', version: answered('/usr/bin/claude', stdout), logins }] };
}

describe('the agent CLIs', () => {
  const cases: readonly FindingCase[] = [
    [
      'a CLI that is not installed',
      {},
      'codex',
      ['missing', null, null, ['npm install --global @openai/codex@latest', 'codex login']],
    ],
    [
      'a CLI that is too old',
      claude('1.0.9', [{ kind: 'variable', name: 'ANTHROPIC_API_KEY' }]),
      'claude',
      [
        'limited',
        '1.0.9',
        'older than 2.0: Supervisor may not understand its output (tested with 2.1.325)',
        ['npm install --global @anthropic-ai/claude-code@latest'],
      ],
    ],
    [
      'a key',
      claude('2.1.4', [{ kind: 'variable', name: 'ANTHROPIC_API_KEY' }]),
      'claude',
      ['ok', '2.1.4, with ANTHROPIC_API_KEY', 'tested with 2.1.325', null],
    ],
    [
      'a login that its CLI would renew, but the gateway does not',
      claude('2.1.4', [{ ...credentials, expiresAt: goodMachine.at - 7_200_000, renews: true }]),
      'claude',
      [
        'limited',
        '2.1.4',
        'the login expired 2h00m ago, at 2025-12-31T22:00:00.000Z',
        ['claude auth login'],
      ],
    ],
    [
      'a login that has ended',
      claude('2.1.4', [credentials]),
      'claude',
      [
        'limited',
        '2.1.4',
        'the login expired 0s ago, at 2026-01-01T00:00:00.000Z',
        ['claude auth login'],
      ],
    ],
    [
      'a login that is about to end',
      claude('2.1.4', [{ ...credentials, expiresAt: goodMachine.at + 60_000 }]),
      'claude',
      ['ok', '2.1.4, logged in', 'the login expires in 1m00s; tested with 2.1.325', null],
    ],
    [
      'a login without an end, of the tested version',
      claude('2.1.325', [{ ...credentials, expiresAt: null }]),
      'claude',
      ['ok', '2.1.325, logged in', null, null],
    ],
    [
      'a login that only works outside of the sandbox',
      {
        agents: [
          {
            cli: 'gemini',
            version: answered('/usr/bin/gemini', '0.61.0'),
            logins: [{ ...credentials, expiresAt: null }],
          },
        ],
      },
      'gemini',
      ['limited', '0.61.0', 'logged in, but a run in the sandbox needs GEMINI_API_KEY', null],
    ],
    [
      'a login that cannot be read, and a key',
      claude('2.1.4', [
        { kind: 'unreadable', path: '/c' },
        { kind: 'variable', name: 'CLAUDE_CODE_OAUTH_TOKEN' },
      ]),
      'claude',
      ['ok', '2.1.4, with CLAUDE_CODE_OAUTH_TOKEN', 'tested with 2.1.325', null],
    ],
    [
      'a login that cannot be read',
      claude('2.1.4', [{ kind: 'unreadable', path: '/c' }]),
      'claude',
      ['limited', '2.1.4', '/c exists but cannot be read', ['claude auth login']],
    ],
    [
      'no login',
      claude('2.1.4', []),
      'claude',
      ['limited', '2.1.4', 'no login found', ['claude auth login']],
    ],
    [
      'no login on macOS',
      { ...claude('2.1.4', []), platform: 'darwin' },
      'claude',
      [
        'limited',
        '2.1.4',
        'no login found in files or variables (the keychain is not checked)',
        ['claude auth login'],
      ],
    ],
  ];
  testFindings(cases, diagnoseAgents);

  test('are all ready with the keys of their providers', () => {
    const keys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'];
    const agents = AGENT_CLI_FACTS.map(({ cli, tried }) => ({
      cli,
      version: answered(`/usr/bin/${cli}`, tried),
      logins: keys.map((name) => ({ kind: 'variable', name }) as const),
    }));
    assert.deepEqual(
      diagnoseAgents({ ...goodMachine, agents }).map(({ id, state, note }) => [id, state, note]),
      [
        ...['claude', 'codex', 'gemini', 'copilot', 'opencode'].map((id) => [id, 'ok', null]),
        ['scripted', 'ok', 'plays a script and ignores the task text'],
      ],
    );
  });
});
