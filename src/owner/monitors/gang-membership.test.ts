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
  ['below one supervisor, the one that is down too', 'a', ['b']],
  ['of one parent', 'c', ['d']],
  ['nobody whom nobody has put together', 'alone', []],
  ['nobody of the same place in another project', 'elsewhere', []],
  ['nobody of one that is no agent', 'x', []],
];
for (const [why, run, siblings] of cases)
  test(`who belongs together: ${why}`, () =>
    assert.deepEqual(gangSiblings(run as RunId, agents), siblings));
