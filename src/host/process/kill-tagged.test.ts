import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { scriptedAgent } from '../../testing/scripted-agents.ts';
import { isAlive, processTable } from './process-table.ts';
import { killAll, killTagged } from './kill-tagged.ts';

const prefix = `sweep-test-${process.pid}`;

/** An unresponsive agent without an owner, with its two processes. */
async function orphan(tag: string) {
  const [file = '', ...args] = scriptedAgent('deaf-with-child');
  const child = spawn(file, args, {
    env: { SUPERVISOR_TAG: tag },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { pids } = JSON.parse(line.toString()) as { pids: number[] };
  return pids.map((pid) => ({ pid, startTime: processTable.row(pid)?.startTime ?? -1 }));
}

test('a sweep kills everything under a tag, and nothing beside it', async () => {
  const [mine, alsoMine, beside] = await Promise.all([
    orphan(`${prefix}/a`),
    orphan(`${prefix}/b/c`),
    orphan(`${prefix}-other/a`),
  ]);
  try {
    assert.deepEqual(await killTagged(`${prefix}/`), { killed: 4, left: 0 });
    assert.deepEqual([...mine, ...alsoMine].map(isAlive), [false, false, false, false]);
    assert.deepEqual(beside.map(isAlive), [true, true]);
    assert.deepEqual(await killTagged(prefix), { killed: 0, left: 0 });
  } finally {
    await killTagged(`${prefix}-other`);
  }
  await eventually('the other one is gone too', () => !beside.some(isAlive));
});

test('killing gives up on processes that do not die, and reports how many are left', async () => {
  // Another process with the same pid is never signalled, so it never dies here.
  const unkillable = { pid: process.pid, startTime: -1 };
  assert.deepEqual(await killAll(() => Promise.resolve([unkillable]), 3), { killed: 0, left: 1 });
});

test('after a kill, one empty pass is not proof', async () => {
  const child = spawn('/bin/sleep', ['1000']);
  const exited = once(child, 'exit');
  const found = {
    pid: child.pid ?? 0,
    startTime: processTable.row(child.pid ?? 0)?.startTime ?? -1,
  };
  const passes = [[found], [], [], [found]];
  assert.deepEqual(await killAll(() => Promise.resolve(passes.shift() ?? [])), {
    killed: 1,
    left: 0,
  });
  assert.equal(passes.length, 1);
  await exited;
});

for (const tag of ['', '/', ' ', 'a b', '*', '-x']) {
  test(`nothing is killed by ${JSON.stringify(tag)}, which is not a tag`, async () => {
    await assert.rejects(killTagged(tag), TypeError);
  });
}
