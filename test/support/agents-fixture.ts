/** Three agents, a, b and c, below one supervisor. */
import assert from 'node:assert/strict';
import type { TreePlace } from '../../src/protocol/tree-place.ts';
import { AgentHarness } from './agent-harness.ts';

export const AT_ONCE = {
  type: 'transient',
  restartsMax: 2,
  withinMs: 60_000,
  backoff: null,
} as const;

function team(strategy: 'one-for-one' | 'one-for-all' | 'rest-for-one'): TreePlace[] {
  return [
    { type: 'supervisor', path: 'team', strategy, restartsMax: 2, withinMs: 60_000 },
    { type: 'agent', path: 'team/a' },
    { type: 'agent', path: 'team/b' },
    { type: 'agent', path: 'team/c' },
  ];
}

export async function withAgents(strategy: Parameters<typeof team>[0]): Promise<AgentHarness> {
  const harness = new AgentHarness();
  await harness.open();
  await harness.declare(team(strategy));
  for (const name of ['a', 'b', 'c'])
    await harness.spawn(name, { supervisor: 'agents/team', restart: AT_ONCE });
  assert.deepEqual(await harness.newSignals(), ['live 1 a', 'live 1 b', 'live 1 c']);
  return harness;
}
