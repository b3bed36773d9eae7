import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { SpawnRequest } from '../../protocol/views/agent-view.ts';
import { AGENT_DEFAULTS } from '../../settings/tree-config.ts';
import { toAgentRequest } from './spawn-request.ts';

const REQUEST: SpawnRequest = { assignment: 'work', project: '/p' };

describe('the request of spawn', () => {
  test('has the defaults of the configuration for what it does not name', () => {
    assert.deepEqual(toAgentRequest(REQUEST, 'a1'), {
      ...AGENT_DEFAULTS,
      name: 'a1',
      assignment: 'work',
    });
  });

  test('has its model, budget, sandbox, restarts and rules, read as in a file', () => {
    const { model, budget, sandbox, restart, violations } = toAgentRequest(
      {
        ...REQUEST,
        model: 'large',
        budgetTokens: 200_000,
        sandbox: { network: ['ci.example.com'], memory: '1GB' },
        restart: { type: 'permanent', restarts: 3, within: '1h' },
        violations: [{ name: 'no-push', action: 'reap', command: ['git', 'push'] }],
      },
      'a1',
    );
    assert.deepEqual(
      [model, budget.tokens, sandbox.memoryBytes, sandbox.pids],
      ['large', 200_000, 1_000_000_000, null],
    );
    assert.deepEqual(sandbox.hosts, ['ci.example.com:443']);
    assert.deepEqual(
      [restart.type, restart.restartsMax, restart.withinMs, restart.backoffBaseMs],
      ['permanent', 3, 3_600_000, null],
    );
    assert.deepEqual(violations, [
      { name: 'no-push', action: 'reap', when: { kind: 'command', words: ['git', 'push'] } },
    ]);
  });

  const refused: [why: string, change: Partial<SpawnRequest>, says: RegExp][] = [
    [
      'an unknown type of restarts',
      { restart: { type: 'often' } },
      /^restart\.type: expected one of/,
    ],
    ['a size without a unit', { sandbox: { memory: 'much' } }, /^sandbox\.memory: expected/],
    [
      'an unknown action',
      { violations: [{ name: 'a', action: 'kill', command: ['x'] }] },
      /^violations\.0\.action: expected one of/,
    ],
  ];
  for (const [why, change, says] of refused)
    test(`is refused with ${why}`, () =>
      assert.throws(
        () => toAgentRequest({ ...REQUEST, ...change }, 'a1'),
        (error) => isRefusal(error, 'request.invalid') && says.test(error.message),
      ));
});
