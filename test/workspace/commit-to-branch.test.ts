import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { commitToBranch } from '../../src/workspace/apply/commit-to-branch.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import { refusedAs } from './apply-fixture.ts';
import { read, workspaceHarness, write } from './workspace-harness.ts';

const FILES = { 'a.txt': 'a\n', 'b.txt': 'b\n' };
const RUN = '00000000aa';
const REQUEST = {
  branch: 'ai/7-fix',
  message: 'Fix it',
  trailers: { run: RUN, outcome: 'verified' as const },
};

describe('a commit on a branch of its own', () => {
  test('has the work and its trailers, and the checkout stays as it is', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await write(ws.work, { 'a.txt': 'A\n', 'new.txt': 'n\n' });
    const { commit } = await commitWorkspace(ws.id, b.ports);
    await write(b.project, { 'b.txt': 'my own change\n' });
    const before = [await read(b.project), await b.git('status', '--porcelain')];
    const made = await commitToBranch(ws.id, b.ports, { ...REQUEST, commit });
    assert.deepEqual([await read(b.project), await b.git('status', '--porcelain')], before);
    assert.equal((await b.git('rev-parse', 'ai/7-fix')).trim(), made);
    assert.match(
      await b.git('log', '-1', '--format=%B', made),
      /^Fix it\n\nSupervisor-Run: 00000000aa\nSupervisor-Outcome: verified\nSigned-off-by: /,
    );
    assert.equal(await b.git('diff', '--name-status', 'HEAD', made), 'M\ta.txt\nA\tnew.txt\n');
  });

  test('is made once, however often it is asked for', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await write(ws.work, { 'a.txt': 'A\n' });
    const { commit } = await commitWorkspace(ws.id, b.ports);
    const made = await commitToBranch(ws.id, b.ports, { ...REQUEST, commit });
    assert.equal(await commitToBranch(ws.id, b.ports, { ...REQUEST, commit }), made);
    assert.equal((await b.git('rev-list', '--count', 'HEAD..ai/7-fix')).trim(), '1');
  });

  test('is followed by one more if the run has newer work', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await write(ws.work, { 'a.txt': 'first\n' });
    const first = await commitWorkspace(ws.id, b.ports);
    const before = await commitToBranch(ws.id, b.ports, { ...REQUEST, commit: first.commit });
    await write(ws.work, { 'a.txt': 'second\n' });
    const { commit } = await commitWorkspace(ws.id, b.ports);
    const made = await commitToBranch(ws.id, b.ports, { ...REQUEST, commit });
    assert.equal((await b.git('rev-parse', `${made}^`)).trim(), before);
    assert.equal(await b.git('show', `${made}:a.txt`), 'second\n');
  });

  test('is followed by one more after any number of commits of the run', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await write(ws.work, { 'a.txt': 'first\n' });
    const first = await commitWorkspace(ws.id, b.ports);
    await commitToBranch(ws.id, b.ports, { ...REQUEST, commit: first.commit });
    addCommits(b.project, REQUEST.branch, 600);
    const before = (await b.git('rev-parse', REQUEST.branch)).trim();
    await write(ws.work, { 'a.txt': 'second\n' });
    const { commit } = await commitWorkspace(ws.id, b.ports);
    const made = await commitToBranch(ws.id, b.ports, { ...REQUEST, commit });
    assert.equal((await b.git('rev-parse', `${made}^`)).trim(), before);
    assert.equal(await b.git('diff', '--name-status', 'HEAD', made), 'M\ta.txt\n');
  });

  test('is not followed by one more while the branch is checked out', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await write(ws.work, { 'a.txt': 'first\n' });
    const first = await commitWorkspace(ws.id, b.ports);
    const made = await commitToBranch(ws.id, b.ports, { ...REQUEST, commit: first.commit });
    await b.git('checkout', '--quiet', 'ai/7-fix');
    const again = await commitToBranch(ws.id, b.ports, { ...REQUEST, commit: first.commit });
    assert.equal(again, made);
    await write(ws.work, { 'a.txt': 'second\n' });
    const { commit } = await commitWorkspace(ws.id, b.ports);
    await assert.rejects(
      commitToBranch(ws.id, b.ports, { ...REQUEST, commit }),
      refusedAs('workspace.branch-exists', /is checked out in/),
    );
    assert.equal(await b.git('status', '--porcelain'), '');
  });

  test('starts from the commit that the work began with, not from a newer one', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    const began = (await b.git('rev-parse', 'HEAD')).trim();
    await write(ws.work, { 'a.txt': 'A\n' });
    const { commit } = await commitWorkspace(ws.id, b.ports);
    await write(b.project, { 'a.txt': 'mine\n' });
    await b.git('commit', '--quiet', '--all', '--message=mine');
    const made = await commitToBranch(ws.id, b.ports, { ...REQUEST, commit });
    assert.equal((await b.git('rev-parse', `${made}^`)).trim(), began);
  });

  test('is refused on a branch whose last commit is not of this run', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await write(ws.work, { 'a.txt': 'A\n' });
    const { commit } = await commitWorkspace(ws.id, b.ports);
    await b.git('branch', 'ai/7-fix');
    await assert.rejects(
      commitToBranch(ws.id, b.ports, { ...REQUEST, commit }),
      refusedAs('workspace.branch-exists'),
    );
    await commitToBranch(ws.id, b.ports, { ...REQUEST, branch: 'other', commit });
    await b.git('checkout', '--quiet', 'other');
    await b.git('commit', '--quiet', '--allow-empty', '--message=mine');
    await assert.rejects(
      commitToBranch(ws.id, b.ports, { ...REQUEST, branch: 'other', commit }),
      refusedAs('workspace.branch-exists'),
    );
  });

  test('is refused for work without changes', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    const { commit } = await commitWorkspace(ws.id, b.ports);
    await assert.rejects(
      commitToBranch(ws.id, b.ports, { ...REQUEST, commit }),
      refusedAs('workspace.not-committable'),
    );
  });
});

/** Empty commits of the run, as a large feature leaves them on its branch. */
function addCommits(project: string, branch: string, count: number): void {
  const message = `One more\n\nSupervisor-Run: ${RUN}\n`;
  const commit = (nth: number): string =>
    [
      `commit refs/heads/${branch}`,
      'committer User <user@example.test> 1000 +0000',
      `data ${message.length}\n${message}`,
      ...(nth === 0 ? [`from refs/heads/${branch}^0\n`] : []),
    ].join('\n');
  const input = Array.from({ length: count }, (_, nth) => commit(nth)).join('\n');
  execFileSync('git', ['fast-import', '--quiet'], { cwd: project, input });
}
