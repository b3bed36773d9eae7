import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agent, settingsFor } from '../../../test/support/drive-attempts.ts';
import { isRefusal } from '../../base/errors.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import { toSettings } from '../../settings/settings.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { requireKeys } from './require-keys.ts';

const ports = { clock: new ManualClock(), userDir: '/nowhere' };
const custom = agent('mine', { cli: 'custom', command: ['mine'] });
const configured = toSettings(
  { agents: [{ id: 'keyed', cli: 'claude', env: { ANTHROPIC_API_KEY: 'of-its-settings' } }] },
  '/user',
);

function required(
  chain: readonly AgentSpec[],
  ownerEnv: Record<string, string> = {},
  unsafe = false,
): Promise<void> {
  const settings = { ...settingsFor([]), agent: chain[0] ?? agent('a'), chain, unsafe };
  const submission = { program: 'attempts', task: 'x', project: '/p', settings } as const;
  return requireKeys(submission, configured, { ...ports, ownerEnv });
}

describe('a run is submitted if', () => {
  const rows: [why: string, given: Parameters<typeof required>][] = [
    ['an agent has its key', [[agent('claude')], { ANTHROPIC_API_KEY: 'k' }]],
    [
      'a later agent of the chain has its key',
      [[agent('claude'), agent('codex')], { OPENAI_API_KEY: 'k' }],
    ],
    ['its settings have the key', [[agent('keyed', { cli: 'claude' })]]],
    ['an agent calls no model', [[agent('claude'), agent('scripted')]]],
    ['a custom agent may need no key', [[custom]]],
    ['its CLI uses a login of its own, without a sandbox', [[agent('claude')], {}, true]],
  ];
  for (const [why, given] of rows) test(why, () => required(...given));
});

describe('a run is refused if no agent can reach a model', () => {
  const LACKS = (cli: string, key: string): string =>
    `${cli} can reach no model: your shell has no ${key}, and ${cli} has no login that works in a sandbox`;
  const rows: [why: string, chain: AgentSpec[], message: string][] = [
    ['the only one', [agent('claude')], `${LACKS('claude', 'ANTHROPIC_API_KEY')}.`],
    [
      'each of several, with what each lacks',
      [agent('claude'), agent('second', { cli: 'codex' })],
      `No agent of this run can reach a model. claude: ${LACKS('claude', 'ANTHROPIC_API_KEY')}; second: ${LACKS('codex', 'OPENAI_API_KEY')}.`,
    ],
  ];
  for (const [why, chain, message] of rows)
    test(why, () =>
      assert.rejects(required(chain, { GEMINI_API_KEY: 'of another' }), (error) => {
        assert.ok(isRefusal(error, 'agent.no-key'));
        assert.equal(error.message, message);
        return true;
      }),
    );
});
