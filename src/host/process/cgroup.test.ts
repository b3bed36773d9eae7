import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { findCgroups, makeCgroup } from './cgroup.ts';

const limits = { memoryBytes: 100_000_000, cpus: 0.5, pids: 64 };

/** A tree of plain files in the layout of the kernel. */
async function plant(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function readSettings(folder: string, files: readonly string[]): Promise<readonly string[]> {
  return Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
}

describe('version 2', () => {
  const tree = {
    'fs/cgroup.controllers': 'cpu memory pids',
    'fs/cgroup.subtree_control': 'cpu memory pids',
    'fs/cgroup.procs': '',
    'fs/user/cgroup.subtree_control': 'memory pids cpu',
    'fs/user/cgroup.procs': '',
    'fs/user/shell/cgroup.subtree_control': '',
    'fs/user/shell/cgroup.procs': '',
    own: '0::/user/shell\n',
  };

  test('is used at the nearest group that delegates its controllers', async () => {
    await using dir = await tempDir();
    await plant(dir.path, tree);
    const parent = join(dir.path, 'fs/user');
    assert.deepEqual(findCgroups(join(dir.path, 'fs'), join(dir.path, 'own')), {
      kind: 'v2',
      parent,
    });
  });

  test('is not used if no group delegates them', async () => {
    await using dir = await tempDir();
    await plant(dir.path, {
      ...tree,
      'fs/cgroup.subtree_control': 'pids',
      'fs/user/cgroup.subtree_control': '',
    });
    assert.equal(findCgroups(join(dir.path, 'fs'), join(dir.path, 'own')).kind, 'none');
  });

  test('limits memory, processes and processors in one group, and counts', async () => {
    await using dir = await tempDir();
    const group = await makeCgroup('x', limits, { kind: 'v2', parent: dir.path });
    const folder = join(dir.path, 'x');
    assert.deepEqual(
      await readSettings(folder, ['memory.max', 'memory.swap.max', 'pids.max', 'cpu.max']),
      ['100000000', '0', '64', '50000 100000'],
    );
    assert.deepEqual(
      [group.joins, group.limited],
      [[join(folder, 'cgroup.procs')], ['memory', 'pids', 'cpus']],
    );
    await plant(folder, {
      'memory.events': 'low 0\noom 3\noom_kill 2\n',
      'pids.events': 'max 7\n',
    });
    assert.deepEqual(await group.counters(), { oomKills: 2, forksRefused: 7 });
  });
});

describe('version 1', () => {
  test('is used below our own group of each controller that we may write to', async () => {
    await using dir = await tempDir();
    await plant(dir.path, {
      'fs/memory/ours/cgroup.procs': '',
      'fs/pids/cgroup.procs': '',
      own: '4:memory:/ours\n8:pids:/elsewhere\n0::/\n',
    });
    assert.deepEqual(findCgroups(join(dir.path, 'fs'), join(dir.path, 'own')), {
      kind: 'v1',
      parents: { memory: join(dir.path, 'fs/memory/ours'), pids: join(dir.path, 'fs/pids') },
    });
  });

  test('has one group per requested controller', async () => {
    await using dir = await tempDir();
    const parents = Object.fromEntries(
      ['memory', 'pids', 'cpu'].map((name) => [name, join(dir.path, name)]),
    );
    for (const parent of Object.values(parents)) await mkdir(parent);
    const group = await makeCgroup('x', { ...limits, pids: null }, { kind: 'v1', parents });
    assert.deepEqual(group.limited, ['memory', 'cpus']);
    assert.deepEqual(
      await readSettings(dir.path, [
        'memory/x/memory.limit_in_bytes',
        'memory/x/memory.memsw.limit_in_bytes',
        'cpu/x/cpu.cfs_quota_us',
      ]),
      ['100000000', '100000000', '50000'],
    );
    await plant(dir.path, {
      'memory/x/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n',
    });
    assert.deepEqual(await group.counters(), { oomKills: 1, forksRefused: 0 });
  });
});

test('a machine without control groups has none', async () => {
  await using dir = await tempDir();
  assert.deepEqual(findCgroups(dir.path, join(dir.path, 'own')), {
    kind: 'none',
    why: 'there are no control groups here',
  });
});
