import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import { FakeAgents } from '../../../test/support/fake-agents.ts';
import { gangSiblings } from './gang-membership.ts';

const agents = new FakeAgents();
agents.add('a', { supervisor: 'agents/team' });
agents.add('b', { supervisor: 'agents/team', exit: { kind: 'failed', reason: 'crashed' } });
agents.add('elsewhere', { supervisor: 'agents/team', project: '/other' });
agents.add('top', { supervisor: 'agents' });
agents.add('alone', { supervisor: 'agents/pool' });
agents.add('c', { supervisor: 'agents/pool', parent: 'top' });
agents.add('d', { supervisor: 'agents/pool', parent: 'top' });

const cases: [why: string, run: string, siblings: string[]][] = [
  ['agents below one declared supervisor, including one that is down', 'a', ['b']],
  ['children of one parent', 'c', ['d']],
  ['an agent that is in no group has none', 'alone', []],
  ['agents of another project do not belong to it', 'elsewhere', []],
  ['an unknown agent has none', 'x', []],
];
for (const [why, run, siblings] of cases)
  test(`members of a gang: ${why}`, () =>
    assert.deepEqual(gangSiblings(run as RunId, agents), siblings));
