import assert from 'node:assert/strict';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { findInstallation } from './installation.ts';

test('a package is shown with those beside it, under its real name', async () => {
  await using dir = await tempDir();
  const root = await realpath(dir.path);
  const bin = join(root, 'node_modules/.bin');
  await mkdir(join(root, 'node_modules/@some/agent/bin'), { recursive: true });
  await mkdir(bin);
  const program = join(root, 'node_modules/@some/agent/bin/agent.js');
  await writeFile(program, '', { mode: 0o755 });
  await symlink(program, join(bin, 'agent'));
  assert.deepEqual(findInstallation('agent', { PATH: bin }), {
    program,
    isOfSystem: false,
    read: [join(root, 'node_modules')],
    path: [],
  });
});

test('a program of one file is shown alone, with a Node that is not the system’s', async () => {
  await using dir = await tempDir();
  const root = await realpath(dir.path);
  const [program, node] = [join(root, 'agent'), join(root, 'node')];
  for (const file of [program, node]) await writeFile(file, '', { mode: 0o755 });
  assert.deepEqual(findInstallation('agent', { PATH: root }), {
    program,
    isOfSystem: false,
    read: [program, node],
    path: [root],
  });
});

test('a program of the system needs nothing more to be shown', () => {
  assert.deepEqual(findInstallation('env', { PATH: '/usr/bin' })?.read, []);
});

test('a program that is nowhere is not installed', () => {
  assert.equal(findInstallation('unheard-of-agent', { PATH: '/usr/bin' }), undefined);
});

test('a program of the project’s own is found from where the work is done, not from where we are', async () => {
  await using dir = await tempDir();
  const root = await realpath(dir.path);
  await writeFile(join(root, 'node'), '', { mode: 0o755 });
  assert.deepEqual(findInstallation('./agent.sh', { PATH: root }), {
    program: './agent.sh',
    isOfSystem: false,
    read: [join(root, 'node')],
    path: [root],
  });
});
