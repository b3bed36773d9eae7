import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import { NO_BUDGET_SPENT } from '../../protocol/views/budget-view.ts';
import { descendantsOf, delegatedBy, remainingOf } from './delegated-budgets.ts';
import type { AgentRecord } from './agent-registry.ts';

function agent(
  run: string,
  parent: string | null,
  more: { usd?: number | null; spent?: number; over?: boolean; raised?: number } = {},
): AgentRecord {
  const { usd = null, spent = 0, over = false, raised = 0 } = more;
  const budget = { usd, tokens: null, calls: null, wallMs: null };
  return {
    run: run as RunId,
    buried: { usd: 0, tokens: 0, calls: 0 },
    submittedAt: 1000,
    settings: { parent, grant: { writes: [], reads: [], hosts: [], capabilities: [], budget } },
    standing: { over },
    budget: {
      ...NO_BUDGET_SPENT,
      spent: { usd: spent, tokens: spent * 10, calls: spent },
      raised: {
        ...NO_BUDGET_SPENT.raised,
        run: { ...NO_BUDGET_SPENT.raised.run, usd: raised },
      },
    },
  } as unknown as AgentRecord;
}

test('all that a living child may spend is gone from its parent, and nothing of its grandchildren', () => {
  const all = [
    agent('a', null, { usd: 10 }),
    agent('b', 'a', { usd: 4 }),
    agent('c', 'b', { usd: 3 }),
  ];
  assert.equal(delegatedBy('a' as RunId, all).usd, 4);
});

test('of one that is over only what it has spent, and what its own children had spent', () => {
  const all = [
    agent('a', null, { usd: 10 }),
    agent('b', 'a', { usd: 4, spent: 1, over: true }),
    agent('c', 'b', { usd: 3, spent: 2, over: true }),
  ];
  assert.equal(delegatedBy('a' as RunId, all).usd, 3);
});

test('what an agent can still give is what it has neither spent nor given, and a raise is more of it', () => {
  const parent = agent('a', null, { usd: 10, spent: 2, raised: 5 });
  const left = remainingOf(parent, [parent, agent('b', 'a', { usd: 4 })], 61_000);
  assert.deepEqual(left, { usd: 9, tokens: null, calls: null, wallMs: null });
});

test('a family is one agent and all that descend from it, whoever of them is asked', () => {
  const all = [
    agent('a', null),
    agent('b', 'a'),
    agent('c', 'b'),
    agent('x', null),
    agent('d', 'a'),
  ];
  for (const one of ['a', 'b', 'c', 'd'])
    assert.deepEqual(descendantsOf(one as RunId, all), ['a', 'b', 'c', 'd']);
  assert.deepEqual(descendantsOf('x' as RunId, all), ['x']);
  assert.deepEqual(descendantsOf('nobody' as RunId, all), []);
});
