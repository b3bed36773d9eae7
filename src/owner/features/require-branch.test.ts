import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../host/process/which.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { lookForRepository } from './require-branch.ts';

function git(cwd: string, ...args: readonly string[]): void {
  const who = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com'];
  execFileSync('git', [...who, ...args], { cwd });
}

/** Two repositories, a clone of the first, two worktrees of it, and a folder whose `.git` is a link to it. */
function plant(root: string): void {
  for (const name of ['main', 'other']) {
    const path = join(root, name);
    mkdirSync(path);
    git(path, 'init', '--quiet');
    git(path, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  }
  git(root, 'clone', '--quiet', 'main', 'clone');
  for (const name of ['one', 'two'])
    git(join(root, 'main'), 'worktree', 'add', '--quiet', `../${name}`, '-b', name);
  mkdirSync(join(root, 'linked'));
  symlinkSync('../main/.git', join(root, 'linked', '.git'));
}

describe('two working trees have the same branches', () => {
  const cases: [why: string, one: string, other: string, same: boolean][] = [
    ['if they are two worktrees of one repository', 'one', 'two', true],
    ['if one is a worktree of the other', 'main', 'one', true],
    ['if one reaches the repository through a link', 'main', 'linked', true],
    ['not if they are two repositories', 'main', 'other', false],
    ['not if one is a clone of the other', 'main', 'clone', false],
  ];
  for (const [why, one, other, same] of cases)
    test(why, async () => {
      await using dir = await tempDir();
      plant(dir.path);
      const host = {
        ...{ git: which('git', process.env) ?? 'git', clock: systemClock, tagOf: () => 'tag' },
        ...{ stateDir: join(dir.path, 'state'), userDir: join(dir.path, 'user') },
      };
      const refsOf = async (name: string): Promise<string> => {
        const found = await lookForRepository(join(dir.path, name), host);
        if (found.kind !== 'repository') throw new Error(found.why);
        return found.refs;
      };
      assert.equal((await refsOf(one)) === (await refsOf(other)), same);
    });
});
