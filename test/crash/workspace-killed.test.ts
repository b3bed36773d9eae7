/** An owner is killed while it creates a tree; the next owner completes it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isLockHeld } from '../../src/host/files/lock-file.ts';
import { killTagged } from '../../src/host/process/kill-tagged.ts';
import { eventually } from '../support/eventually.ts';
import { workspacePaths } from '../../src/workspace/workspace.ts';
import { workspaceHarness, read, RUN } from '../workspace/workspace-harness.ts';

const script = fileURLToPath(new URL('children/makes-workspace.ts', import.meta.url));
const FILES = Object.fromEntries(
  Array.from({ length: 600 }, (_, n) => [`d${n % 20}/f${n}`, `${n}\n`.repeat(20)]),
);

test(
  'case 12: killed at any stage of creating a tree, it leaves nothing that blocks the next',
  { timeout: 300_000 },
  async (t) => {
    await using b = await workspaceHarness(FILES);
    const paths = workspacePaths({ home: b.home, root: b.project, run: RUN, attempt: 1 });
    const gitDir = join(paths.work, '.git');
    const has = (folder: string): boolean => existsSync(folder) && readdirSync(folder).length > 0;
    const stages: [stage: string, isThere: () => boolean][] = [
      ['its lock is taken', () => existsSync(paths.lock)],
      ['its first files are there', () => has(paths.work)],
      ['it has a repository', () => has(gitDir)],
      ['its index is being written', () => existsSync(join(gitDir, 'index.lock'))],
    ];
    const cutOff: string[] = [];
    for (const [index, [stage, isThere]] of stages.entries()) {
      const tag = `workspace-killed-${process.pid}/${index}`;
      const child = spawn(process.execPath, [script, b.project, b.home, tag], { stdio: 'inherit' });
      let over = false;
      const exited = once(child, 'exit').then(() => (over = true));
      await eventually(stage, () => isThere() || over, 120_000);
      child.kill('SIGKILL');
      await exited;
      if (!existsSync(paths.record)) cutOff.push(stage);
      rmSync(paths.record, { force: true }); // if it was faster than the kill, create it again
      await killTagged(tag); // as the next owner does first
    }
    t.diagnostic(`cut off when ${cutOff.join(', ')}`);
    assert.notEqual(cutOff.length, 0);
    const workspace = await b.make();
    assert.deepEqual(await read(workspace.work), FILES);
    workspace.release();
    assert.deepEqual(
      [isLockHeld(paths.lock), existsSync(join(gitDir, 'index.lock'))],
      [false, false],
    );
    assert.equal((await b.git('worktree', 'list')).trim().split('\n').length, 1);
    assert.equal(await b.git('status', '--porcelain'), '');
    await b.git('fsck', '--strict');
  },
);
