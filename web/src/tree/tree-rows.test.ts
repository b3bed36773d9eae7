import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OpenQuestion } from '../../../src/protocol/views/open-question.ts';
import type { TreeNode } from '../../../src/protocol/views/tree-view.ts';
import { canRestart, restartsUsed, treeRows, troubled } from './tree-rows.ts';

function node(id: string, more: Partial<TreeNode> = {}): TreeNode {
  const cut = id.lastIndexOf('/');
  const parent = cut === -1 ? null : id.slice(0, cut);
  const head = { id, parent, name: id.slice(cut + 1), project: null, health: 'well', agent: null };
  return { ...head, ...more } as TreeNode;
}

const project = '/home/me/shop';
const NODES = [
  node('owner'),
  node('owner/journal', { health: 'recovering' }),
  node('owner/shop', { project }),
  node('owner/shop/docs', { project, agent: { run: 'aaaaaaaaaa' } as never }),
  node('owner/shop/team', { project }),
  node('owner/shop/team/api', { project }),
];

describe('the rows of the tree', () => {
  test('are agents and their supervisors, from the top down', () => {
    assert.deepEqual(
      treeRows(NODES, [], false).map(({ node: { name }, depth, isLast }) => [name, depth, isLast]),
      [
        ['shop', 0, true],
        ['docs', 1, false],
        ['team', 1, true],
        ['api', 2, true],
      ],
    );
  });
  test('have the parts of the owner too, if a person wants them', () => {
    assert.equal(treeRows(NODES, [], true).length, NODES.length);
    assert.deepEqual(
      troubled(NODES).map(({ name }) => name),
      ['journal'],
    );
  });
  test('know the question whose answer is a restart', () => {
    const ask = { run: 'aaaaaaaaaa', key: 'issue-1', choices: ['restart', 'dismiss'] };
    const rows = treeRows(NODES, [ask as unknown as OpenQuestion], false);
    assert.deepEqual(rows.map(canRestart), [false, true, false, false]);
  });
  test('count the restarts of the window only', () => {
    const budget = { restartsMax: 3, withinMs: 100, restartedAt: [10, 950, 990] };
    assert.equal(restartsUsed(budget, 1000), 2);
  });
});
