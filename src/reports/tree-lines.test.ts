import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMoment } from '../base/format-time.ts';
import type { TreeNode } from '../protocol/views/tree-view.ts';
import type { AgentView } from '../protocol/views/agent-view.ts';
import { formatTree, troubledInternals, visibleToProject, withoutInternals } from './tree-lines.ts';

function node(id: string, more: Partial<TreeNode> = {}): TreeNode {
  const cut = id.lastIndexOf('/');
  return {
    id,
    name: id.slice(cut + 1),
    parent: cut === -1 ? null : id.slice(0, cut),
    type: 'worker',
    strategy: null,
    state: 'running',
    since: 1000,
    restarts: 0,
    health: 'well',
    why: null,
    note: null,
    budget: null,
    agent: null,
    project: null,
    ...more,
  };
}

test('the tree has branches, and shows problems beside each node', () => {
  const nodes = [
    node('owner', { strategy: 'rest-for-one' }),
    node('owner/store', { note: 'all is well' }),
    node('owner/branches', { strategy: 'one-for-one' }),
    node('owner/branches/runs', { strategy: 'dynamic' }),
    node('owner/branches/server', { strategy: 'one-for-one' }),
    node('owner/branches/server/tcp', {
      state: 'down',
      health: 'down',
      restarts: 2,
      why: 'no port',
    }),
    node('owner/branches/server/socket', { health: 'recovering', restarts: 1, since: 60_000 }),
  ];
  assert.deepEqual(
    formatTree({ at: 61_000, nodes }).map(({ name, state, more }) => `${name} ${state} ${more}`),
    [
      'owner           running    1m00s, rest-for-one',
      '├─ store        running    1m00s, all is well',
      '└─ branches     running    1m00s, one-for-one',
      '   ├─ runs      running    1m00s, dynamic',
      '   └─ server    running    1m00s, one-for-one',
      '      ├─ tcp    down       1m00s, restarted 2 times, no port',
      '      └─ socket recovering 1s, restarted once',
    ],
  );
});

function agent(name: string, more: Partial<AgentView> = {}): AgentView {
  return {
    run: '0123456789',
    name,
    kind: 'mortal',
    project: '/shop',
    assignment: 'work',
    state: 'working',
    since: 1000,
    life: 1,
    turn: 1,
    coolingUntil: null,
    restarts: 0,
    parent: null,
    supervisor: 'agents/pool',
    declared: false,
    visibility: 'badge',
    restartsExhausted: false,
    ended: false,
    why: null,
    outcome: null,
    openIssues: 0,
    commitments: [],
    ...more,
  };
}

function living(name: string, more: Partial<AgentView> = {}): TreeNode {
  const view = agent(name, more);
  const { project, restarts, since } = view;
  return node(`owner/${name}`, { agent: view, project, restarts, since });
}

test('an agent has its state, its parent and a badge for restarts', () => {
  const parent = { run: 'aaaaaaaaaa', name: 'lead' };
  const outcome = { kind: 'cancelled', reason: 'dismissed: enough' } as const;
  const nodes = [
    node('owner'),
    living('lead', { kind: 'root', visibility: 'shown', restarts: 2, life: 3 }),
    living('web', { parent, restarts: 1, life: 2, openIssues: 1, state: 'waiting-input' }),
    living('api', { coolingUntil: 61_000 }),
    living('old', { ended: true, state: 'dismissed-reaped', outcome }),
  ];
  assert.deepEqual(
    formatTree({ at: 61_000, nodes }).map(({ name, state, more }) => `${name} ${state} ${more}`),
    [
      'owner   running          1m00s',
      '├─ lead working          1m00s, root 0123456789, life 3, restarted 2 times',
      '├─ web  waiting-input    1m00s, mortal 0123456789, life 2, of lead, 1 open issue, ↻1',
      `├─ api  cooling          1m00s, mortal 0123456789, until ${formatMoment(61_000, 61_000)}`,
      '└─ old  dismissed-reaped 1m00s, mortal 0123456789, cancelled: dismissed: enough',
    ],
  );
});

test('an agent has one line, whatever its last message is', () => {
  const outcome = {
    kind: 'succeeded',
    reason: `All is there.\n\nDONE ${'x'.repeat(500)}`,
  } as const;
  const lines = formatTree({ at: 61_000, nodes: [node('owner'), living('old', { outcome })] });
  assert.match(
    lines[1]?.more ?? '',
    /^1m00s, mortal 0123456789, succeeded: All is there\. DONE x{160,200}…$/,
  );
});

test('old bug: agents of another project are hidden, and silent ones too unless they need a person', () => {
  const nodes = [
    node('owner'),
    living('mine'),
    living('theirs', { project: '/other' }),
    living('drone', { kind: 'drone', visibility: 'silent' }),
    living('trouble', { kind: 'monitor', visibility: 'silent', restartsExhausted: true }),
    living('dead', { kind: 'drone', visibility: 'silent', restartsExhausted: true, ended: true }),
  ];
  assert.deepEqual(
    visibleToProject({ at: 0, nodes }, '/shop').nodes.map(({ name }) => name),
    ['owner', 'mine', 'trouble'],
  );
});

test('without the internals, agents and declared supervisors are left, each below the nearest', () => {
  const root = 'owner/branches/agents/shop-1a2b3c';
  const placed = (path: string): TreeNode => {
    const { agent: view } = living(path);
    return node(`${root}/${path}`, { agent: view, project: '/shop' });
  };
  const nodes = [
    node('owner'),
    node('owner/branches', { health: 'recovering' }),
    node('owner/branches/agents'),
    node(root, { project: '/shop' }),
    node(`${root}/pool`, { project: '/shop' }),
    placed('pool/one'),
    node(`${root}/team`, { project: '/shop', strategy: 'one-for-all', health: 'down' }),
    placed('team/two'),
    placed('three'),
  ];
  const left = withoutInternals({ at: 61_000, nodes });
  assert.deepEqual(
    formatTree(left).map(({ name }) => name.trimEnd()),
    ['one', 'team', '└─ two', 'three'],
  );
  assert.deepEqual(
    troubledInternals({ at: 0, nodes }).map(({ name }) => name),
    ['branches'],
  );
});
