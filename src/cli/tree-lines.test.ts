import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TreeNode } from '../protocol/tree-view.ts';
import { treeLines } from './tree-lines.ts';

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
    agent: null,
    project: null,
    ...more,
  };
}

test('the tree is drawn with its branches, and what is wrong stands beside it', () => {
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
    treeLines({ at: 61_000, nodes }).map(({ name, state, more }) => `${name} ${state} ${more}`),
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
