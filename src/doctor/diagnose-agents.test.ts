import { describe } from 'node:test';
import type { FindingCase } from '../../test/support/finding-cases.ts';
import { testFindings } from '../../test/support/finding-cases.ts';
import { answered, goodMachine } from '../../test/support/machine-facts-fixture.ts';
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
      ['ok', '2.1.4, with ANTHROPIC_API_KEY', 'this release does not run it yet', null],
    ],
    [
      'a login that renews itself',
      claude('2.1.4', [{ ...credentials, renews: true }]),
      'claude',
      ['ok', '2.1.4, logged in', 'this release does not run it yet', null],
    ],
    [
      'a login that has ended',
      claude('2.1.4', [credentials]),
      'claude',
      ['limited', '2.1.4', 'the login expired at 2026-01-01T00:00:00.000Z', ['claude auth login']],
    ],
    [
      'a login that is about to end',
      claude('2.1.4', [{ ...credentials, expiresAt: goodMachine.at + 1 }]),
      'claude',
      ['ok', '2.1.4, logged in', 'this release does not run it yet', null],
    ],
    [
      'a login that cannot be read, and a key',
      claude('2.1.4', [
        { kind: 'unreadable', path: '/c' },
        { kind: 'variable', name: 'KEY' },
      ]),
      'claude',
      ['ok', '2.1.4, with KEY', 'this release does not run it yet', null],
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
  testFindings(cases, (facts) => diagnoseAgents(facts, ['scripted']));
});
