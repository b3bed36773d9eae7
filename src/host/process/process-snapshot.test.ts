import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { SnapshotReader, takeSnapshot } from './process-snapshot.ts';

test('a snapshot contains the processes at the time of its request, also while another is being taken', async () => {
  const first = takeSnapshot();
  assert.equal(takeSnapshot(), first);
  await new Promise((resolve) => setImmediate(resolve));
  const child = spawn('/bin/sleep', ['1000'], {
    env: { SUPERVISOR_TAG: `snapshot-${process.pid}` },
  });
  const exited = once(child, 'exit');
  const second = takeSnapshot();
  const { rows, tags } = await second;
  const pid = child.pid ?? 0;
  assert.deepEqual([rows.get(pid)?.ppid, tags.get(pid)], [process.pid, `snapshot-${process.pid}`]);
  assert.equal((await first).rows.has(process.pid), true);
  child.kill('SIGKILL');
  await exited;
  assert.equal((await takeSnapshot()).rows.has(pid), false);
});

test('a large environment is read completely', async () => {
  const tag = `snapshot-${process.pid}/large`;
  const env = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`A${n}`, 'x'.repeat(9000)]));
  const child = spawn('/bin/sleep', ['1000'], { env: { ...env, SUPERVISOR_TAG: tag } });
  const exited = once(child, 'exit');
  const { tags } = await takeSnapshot();
  assert.equal(tags.get(child.pid ?? 0), tag);
  child.kill('SIGKILL');
  await exited;
});

test('a read that fails does not make later ones fail', async () => {
  let reads = 0;
  const reader = new SnapshotReader({
    rows: () => {
      reads += 1;
      return reads === 1 ? Promise.reject(new Error('no process table')) : Promise.resolve([]);
    },
    tags: () => Promise.resolve(new Map()),
  });
  await assert.rejects(reader.take(0), { message: 'no process table' });
  assert.deepEqual(await reader.take(0), { rows: new Map(), tags: new Map() });
});
