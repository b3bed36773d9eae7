import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import { NO_BUDGET_SPENT } from '../../protocol/views/budget-view.ts';
import { delegatedBy, findFamily, remainingBudget } from './delegated-budgets.ts';
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
    removedUsage: { usd: 0, tokens: 0, calls: 0 },
    submittedAt: 1000,
    settings: { parent, grant: { writes: [], reads: [], hosts: [], capabilities: [], budget } },
    status: { isOver: over },
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

test('the whole cap of a running child is taken from its parent, and the caps of grandchildren are not', () => {
  const all = [
    agent('a', null, { usd: 10 }),
    agent('b', 'a', { usd: 4 }),
    agent('c', 'b', { usd: 3 }),
  ];
  assert.equal(delegatedBy('a' as RunId, all).usd, 4);
});

test('an ended child takes only what it and its own children spent', () => {
  const all = [
    agent('a', null, { usd: 10 }),
    agent('b', 'a', { usd: 4, spent: 1, over: true }),
    agent('c', 'b', { usd: 3, spent: 2, over: true }),
  ];
  assert.equal(delegatedBy('a' as RunId, all).usd, 3);
});

test('an agent can delegate what it has neither spent nor delegated, and a raise adds to it', () => {
  const parent = agent('a', null, { usd: 10, spent: 2, raised: 5 });
  const left = remainingBudget(parent, [parent, agent('b', 'a', { usd: 4 })], 61_000);
  assert.deepEqual(left, { usd: 9, tokens: null, calls: null, wallMs: null });
});

test('a family is the same for each of its members: the top agent and all its descendants', () => {
  const all = [
    agent('a', null),
    agent('b', 'a'),
    agent('c', 'b'),
    agent('x', null),
    agent('d', 'a'),
  ];
  for (const one of ['a', 'b', 'c', 'd'])
    assert.deepEqual(findFamily(one as RunId, all), ['a', 'b', 'c', 'd']);
  assert.deepEqual(findFamily('x' as RunId, all), ['x']);
  assert.deepEqual(findFamily('nobody' as RunId, all), []);
});
