import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal } from '../base/errors.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { gitEnvironment, nulSeparated, runGit } from './git.ts';

const readOverrides = (env: Readonly<Record<string, string>>): Record<string, string | undefined> =>
  Object.fromEntries(
    Array.from({ length: Number(env['GIT_CONFIG_COUNT']) }, (_, index) => [
      env[`GIT_CONFIG_KEY_${index}`] ?? '',
      env[`GIT_CONFIG_VALUE_${index}`],
    ]),
  );

test('git gets nothing of our environment, and no program to run', () => {
  const env = gitEnvironment({ gitDir: '/vault' });
  for (const name of ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'SSH_AUTH_SOCK'])
    assert.equal(env[name], undefined);
  const { GIT_DIR, GIT_CONFIG_GLOBAL, GIT_CONFIG_NOSYSTEM, GIT_TERMINAL_PROMPT } = env;
  assert.deepEqual(
    [GIT_DIR, GIT_CONFIG_GLOBAL, GIT_CONFIG_NOSYSTEM, GIT_TERMINAL_PROMPT],
    ['/vault', '/dev/null', '1', '0'],
  );
  const {
    'core.hooksPath': hooks,
    'core.fsmonitor': monitor,
    'protocol.allow': all,
    'protocol.file.allow': files,
  } = readOverrides(env);
  assert.deepEqual([hooks, monitor, all, files], ['/dev/null', 'false', 'never', 'never']);
});

test('only a call that reads another repository may do so', () => {
  const env = gitEnvironment({ gitDir: '/x', readsOther: '/config' });
  assert.deepEqual(
    [env['GIT_CONFIG_GLOBAL'], readOverrides(env)['protocol.file.allow']],
    ['/config', 'always'],
  );
});

test('NUL-separated output keeps line feeds and empty parts', () => {
  assert.deepEqual(nulSeparated(Buffer.from('a\nb\0\0c\0')), ['a\nb', '', 'c']);
  assert.deepEqual(nulSeparated(Buffer.from('')), []);
});

test('a git that hangs is killed after its time, with its path and what to check', async () => {
  await using dir = await tempDir();
  const git = join(dir.path, 'git');
  writeFileSync(git, '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
  const ports = { git, clock: systemClock, tag: 'supervisor:test/hangs' };
  const call = { workTree: dir.path, deadlineMs: 100 };
  await assert.rejects(runGit(ports, ['rev-parse', '--show-toplevel'], call), (error) => {
    assert.ok(isRefusal(error, 'workspace.git-failed'));
    assert.deepEqual(
      [error.data.message, error.data.hint],
      [
        `${git} has not answered \`git rev-parse\` within 0.1 s.`,
        `Check that this git works, and that the disk of ${dir.path} answers. To use another git, change PATH.`,
      ],
    );
    return true;
  });
});

test('a folder that is gone is named, and no git is to be installed for it', async () => {
  await using dir = await tempDir();
  const gone = join(dir.path, 'moved');
  const ports = { git: '/usr/bin/git', clock: systemClock, tag: 'supervisor:test/gone' };
  await assert.rejects(runGit(ports, ['rev-parse'], { workTree: gone }), (error) => {
    assert.ok(isRefusal(error, 'workspace.unsupported'));
    assert.equal(error.data.message, `The folder ${gone} does not exist any more.`);
    assert.match(error.data.hint ?? '', /^Restore it first\./);
    return true;
  });
});

test('a git that is not there is to be installed', async () => {
  await using dir = await tempDir();
  const ports = { git: join(dir.path, 'git'), clock: systemClock, tag: 'supervisor:test/no-git' };
  await assert.rejects(runGit(ports, ['rev-parse'], { workTree: dir.path }), (error) => {
    assert.ok(isRefusal(error, 'workspace.git-failed'));
    assert.match(error.data.message, /git could not be started: .*\.$/);
    assert.match(error.data.hint ?? '', /^Install git\./);
    return true;
  });
});
