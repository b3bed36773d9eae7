import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openShadowRepo, treeOfCommit } from '../../src/workspace/shadow-repo.ts';
import { workspacePaths } from '../../src/workspace/workspace.ts';
import { workspaceHarness } from './workspace-harness.ts';

test('the tree of a commit is read once, and a commit without one is refused', async () => {
  await using b = await workspaceHarness({ 'a.txt': 'a' });
  const ws = await b.make();
  const repo = await openShadowRepo(workspacePaths(ws.id).project, b.ports);
  const { base } = ws.record;
  const tree = await treeOfCommit(repo, base);
  assert.match(tree, /^[0-9a-f]{40}$/);
  assert.notEqual(tree, base);
  const withoutGit = { ...repo, ports: { ...repo.ports, git: '/no/such/git' } };
  assert.equal(await treeOfCommit(withoutGit, base), tree);
  await assert.rejects(treeOfCommit(repo, '0'.repeat(40)), /Needed a single revision/);
});
