import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { tempDir } from '../support/temp-dir.ts';
import {
  executeBranchApply,
  planBranch,
  requireRepository,
} from '../../src/workspace/apply/apply-to-branch.ts';
import type { WorkspaceId } from '../../src/workspace/workspace.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import { workspaceHarness, read, write } from './workspace-harness.ts';
import { AFTER, EDITS, edit, FILES, refusedAs } from './apply-fixture.ts';

describe('an apply to a branch', () => {
  test('makes one commit on top of the branch, and touches no file and no index', async () => {
    await using b = await workspaceHarness(FILES);
    await write(b.project, { 'link.txt': 'uncommitted', 'b.txt': 'b\n' });
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const { commit } = await commitWorkspace(ws.id, b.ports);
    const before = [await read(b.project), await b.git('status', '--porcelain')];
    const planned = await planBranch(ws.id, b.ports, {
      commit,
      branch: 'agent/work',
      message: 'Do it',
      identity: { name: 'Ann', email: 'ann@example.test' },
    });
    const made = await executeBranchApply(planned, b.ports);
    assert.equal(await executeBranchApply(planned, b.ports), made);
    assert.deepEqual([await read(b.project), await b.git('status', '--porcelain')], before);
    assert.equal(await b.git('log', '--format=%an %s', 'agent/work'), 'Ann Do it\nUser first\n');
    await b.git('fsck', '--strict');
    const other = join(b.home, '..', 'other');
    await mkdir(other);
    await b.git('worktree', 'add', '--quiet', other, 'agent/work');
    assert.deepEqual(await read(other), AFTER);
    await assert.rejects(
      planBranch(ws.id, b.ports, { commit, branch: 'agent/work' }),
      refusedAs('workspace.branch-exists'),
    );
    await assert.rejects(
      planBranch(ws.id, b.ports, { commit, branch: '../x' }),
      refusedAs('usage.invalid'),
    );
  });

  test('merges with newer commits, and refuses work that depends on uncommitted files', async () => {
    await using b = await workspaceHarness(FILES);
    await write(b.project, { 'b.txt': 'not committed\n' });
    const ws = await b.make();
    await write(ws.work, { 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\nNINE\n' });
    await write(b.project, { 'a.txt': 'ONE\n2\n3\n4\n5\n6\n7\n8\n9\n' });
    await b.git('commit', '--quiet', '--message=one', 'a.txt');
    const first = await commitWorkspace(ws.id, b.ports);
    const planned = await planBranch(ws.id, b.ports, { commit: first.commit, branch: 'w' });
    await executeBranchApply(planned, b.ports);
    assert.equal(await b.git('show', 'w:a.txt'), 'ONE\n2\n3\n4\n5\n6\n7\n8\nNINE\n');
    await write(ws.work, { 'b.txt': 'not committed, and edited\n' });
    const { commit } = await commitWorkspace(ws.id, b.ports);
    await assert.rejects(
      planBranch(ws.id, b.ports, { commit, branch: 'v' }),
      refusedAs('workspace.conflict', /b\.txt/),
    );
  });

  test('refuses a folder without git, and a repository without a commit', async () => {
    await using dir = await tempDir();
    await using home = await tempDir();
    const ports = { git: '/usr/bin/git', clock: systemClock, tag: 'test/branch', userHome: '/' };
    const workspace = { root: dir.path, home: home.path } as WorkspaceId;
    const refused = (why: string): Promise<void> =>
      assert.rejects(
        requireRepository(workspace, ports),
        refusedAs('workspace.unsupported', new RegExp(why)),
      );
    await refused('is no git repository, so a branch has nothing to start from');
    execFileSync('git', ['init', '--quiet', dir.path]);
    await refused('has no commit with SHA-1 hashes, so');
  });

  test('refuses files that attributes convert', async () => {
    await using b = await workspaceHarness({
      '.gitattributes': '*.bin filter=lfs\n*.crlf text\n',
      'a.txt': 'a',
    });
    const ws = await b.make();
    await write(ws.work, { 'x.bin': 'large', 'y.crlf': 'a\r\n', 'z.crlf': 'a\n' });
    const { commit } = await commitWorkspace(ws.id, b.ports);
    await assert.rejects(
      planBranch(ws.id, b.ports, { commit, branch: 'v' }),
      refusedAs('workspace.unsupported', /x\.bin, y\.crlf on/),
    );
  });
});
