import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { testOwner } from '../../../test/support/test-owner.ts';

const UNUSABLE: readonly [what: string, prepare: (dir: string) => Promise<void>, says: RegExp][] = [
  [
    'a bare repository',
    async (dir) => void execFileSync('git', ['init', '-q', '--bare', dir]),
    /is a bare repository/,
  ],
  [
    'a repository without HEAD',
    async (dir) => {
      execFileSync('git', ['init', '-q', dir]);
      await rm(join(dir, '.git/HEAD'));
    },
    /git does not accept it as a repository/,
  ],
  [
    'a worktree whose repository is gone',
    async (dir) => writeFile(join(dir, '.git'), 'gitdir: /nowhere'),
    /git does not accept it as a repository/,
  ],
];

describe('a project that can not be copied', () => {
  for (const [what, prepare, says] of UNUSABLE)
    test(`is refused before there is a run: ${what}`, async () => {
      await using dir = await tempDir();
      const project = join(dir.path, 'project');
      await mkdir(project);
      await prepare(project);
      const agentEnv = { PATH: process.env['PATH'] ?? '', HOME: join(dir.path, 'nobody') };
      await using at = await testOwner('', { agentEnv });
      await assert.rejects(
        at.owner.submit({ task: 'x', project, agent: 'claude' }),
        (error) => isRefusal(error, 'workspace.unsupported') && says.test(error.message),
      );
      assert.deepEqual(await at.owner.engine.list({ limit: 10 }), []);
    });
});
