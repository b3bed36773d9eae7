import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { testOwner } from '../../test/support/test-owner.ts';

/** H8. A user's home, a link to it, and the state in another folder. */
describe('a whole home cannot be a project, wherever the state is stored', () => {
  const cases: [why: string, project: (root: string) => string][] = [
    ['the home', (root) => join(root, 'users/ada')],
    ['a link to the home', (root) => join(root, 'link')],
    ['the home, spelled with a slash and a dot', (root) => join(root, 'users/ada') + '/./'],
    ['a parent of the home', (root) => join(root, 'users')],
    ['a parent further up', (root) => root],
    ['the root of the file system', () => '/'],
  ];
  for (const [why, project] of cases)
    for (const home of ['users/ada', 'link'])
      test(`${why} is refused when HOME is ${home}`, async () => {
        await using dir = await tempDir();
        await mkdir(join(dir.path, 'users/ada/project'), { recursive: true });
        await symlink('users/ada', join(dir.path, 'link'));
        const agentEnv = { PATH: process.env['PATH'] ?? '', HOME: join(dir.path, home) };
        await using at = await testOwner('', { agentEnv });
        const request = { task: 'x', project: project(dir.path), agent: 'scripted' };
        const tooWide = (error: unknown): boolean =>
          isRefusal(error, 'workspace.unsupported') && /too broad/.test(error.message);
        await assert.rejects(at.owner.submit(request), tooWide);
        await assert.rejects(at.owner.agents.spawn({ ...request, assignment: 'x' }), tooWide);
        await assert.rejects(at.owner.agents.declare(request.project), tooWide);
        const { ok } = await at.owner.preflight(request);
        assert.equal(ok, false);
        assert.deepEqual(await at.owner.engine.list({ limit: 10 }), []);
      });

  for (const folder of [
    'users/ada/.ssh',
    'users/ada/.aws/sso',
    'users/ada/.config',
    '/etc',
    '/home',
  ])
    test(`${folder}, which holds keys or belongs to the machine, is refused`, async () => {
      await using dir = await tempDir();
      for (const made of ['.ssh', '.aws/sso', '.config/gh'])
        await mkdir(join(dir.path, 'users/ada', made), { recursive: true });
      const agentEnv = { PATH: process.env['PATH'] ?? '', HOME: join(dir.path, 'users/ada') };
      await using at = await testOwner('', { agentEnv });
      const request = { task: 'x', project: resolve(dir.path, folder), agent: 'scripted' };
      const refused = (error: unknown): boolean =>
        isRefusal(error, 'workspace.unsupported') && /cannot be a project/.test(error.message);
      await assert.rejects(at.owner.submit(request), refused);
      await assert.rejects(at.owner.agents.spawn({ ...request, assignment: 'x' }), refused);
    });

  test('a folder of a repository whose root is the home is refused for a sandboxed agent', async () => {
    await using dir = await tempDir();
    await mkdir(join(dir.path, 'project'));
    await writeFile(join(dir.path, 'id_rsa'), 'secret');
    execFileSync('git', ['init', '-q'], { cwd: dir.path });
    const agentEnv = { PATH: process.env['PATH'] ?? '', HOME: dir.path };
    await using at = await testOwner('', { agentEnv });
    const project = join(dir.path, 'project');
    const { checks } = await at.owner.preflight({ task: 'x', project, agent: 'claude' });
    const found = checks.find(({ id }) => id === 'project');
    assert.match(found?.words ?? '', /too broad/);
  });

  test('a project inside the home is not refused', async () => {
    await using dir = await tempDir();
    await mkdir(join(dir.path, 'project'));
    const agentEnv = { PATH: process.env['PATH'] ?? '', HOME: dir.path };
    await using at = await testOwner('', { agentEnv });
    const request = { task: 'x', project: join(dir.path, 'project'), agent: 'scripted' };
    const { checks } = await at.owner.preflight(request);
    assert.deepEqual(
      checks.filter(({ id }) => id === 'settings' || id === 'project').map(({ state }) => state),
      ['ok', 'ok'],
    );
  });
});
