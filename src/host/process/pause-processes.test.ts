import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { pauseProcesses } from './pause-processes.ts';
import { readProcessList, readProcessTree } from './read-process.ts';
import type { ProcessRow } from './process-table.ts';
import { processTable } from './process-table.ts';
import { which } from './which.ts';

const never = new AbortController().signal;
const noPerl = which('perl', process.env) === undefined && 'perl is not here';

/** A shell with its descendants. All of them end with it. */
async function startTree(program: string, ...args: readonly string[]) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  const pid = child.pid ?? 0;
  const output: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  await once(child.stdout, 'data');
  const exited = once(child, 'exit');
  return {
    pid,
    said: output,
    look: readProcessTree(pid),
    find: () => rowsOf(pid),
    states: async () => (await rowsOf(pid)).map(({ stopped }) => stopped),
    [Symbol.asyncDispose]: async () => {
      process.kill(-pid, 'SIGKILL');
      await exited;
    },
  };
}

async function rowsOf(root: number): Promise<readonly ProcessRow[]> {
  const rows: ProcessRow[] = [];
  await readProcessTree(root)((row) => rows.push(row));
  return rows;
}

const THREE = 'sh -c "sleep 600 & echo up; wait" & wait';

test('H7: a tree of processes is paused, and continues when it is released', async () => {
  await using one = await startTree('sh', '-c', THREE);
  const held = await pauseProcesses(one.look, never);
  assert.deepEqual([held.isComplete, await one.states()], [true, [true, true, true]]);
  held.release();
  await eventually('all run', async () => (await one.states()).every((stopped) => !stopped));
});

test('a process that was stopped before stays stopped', async () => {
  await using one = await startTree('sh', '-c', THREE);
  process.kill(one.pid, 'SIGSTOP');
  await eventually('it is stopped', () => processTable.row(one.pid)?.stopped === true);
  const held = await pauseProcesses(one.look, never);
  held.release();
  await eventually(
    'the others run',
    async () => (await one.states()).filter((stopped) => !stopped).length === 2,
  );
  assert.equal(processTable.row(one.pid)?.stopped, true);
});

test('a parent that waits for stopped children is notified of none', { skip: noPerl }, async () => {
  // 2 is WUNTRACED: waitpid returns when a child stops, too.
  const program =
    '$| = 1; my $pid = fork; if (!$pid) { sleep 600; exit } print "up\\n"; ' +
    'waitpid($pid, 2); print(($? & 0x7f) == 0x7f ? "stopped\\n" : "ended\\n"); sleep 600';
  await using one = await startTree('perl', '-e', program);
  for (let round = 0; round < 5; round += 1) {
    const held = await pauseProcesses(one.look, never);
    assert.equal(held.isComplete, true);
    held.release();
    await eventually('all run', async () => (await one.states()).every((stopped) => !stopped));
  }
  const child = (await one.find()).find(({ pid }) => pid !== one.pid);
  process.kill(child?.pid ?? 0, 'SIGKILL');
  await eventually('it is notified of the end', () => one.said.length > 1, 60_000);
  assert.deepEqual(one.said, ['up\n', 'ended\n']);
});

test('processes that cannot be stopped are given up, and reported', async () => {
  const us = processTable.row(process.pid);
  assert.ok(us);
  let looks = 0;
  const find = () => {
    looks += 1;
    return Promise.resolve([{ ...us, startTime: -1 }]); // another process with our pid is never signalled
  };
  const held = await pauseProcesses(readProcessList(find), never, 4);
  assert.deepEqual([held.isComplete, looks], [false, 4]);
});

test('nothing stays stopped if the process table cannot be read', async () => {
  await using one = await startTree('sh', '-c', THREE);
  let looks = 0;
  const find = async () => {
    looks += 1;
    if (looks === 2) throw new Error('no table');
    return one.find();
  };
  await assert.rejects(pauseProcesses(readProcessList(find), never), /no table/);
  await eventually('all run', async () => (await one.states()).every((stopped) => !stopped));
});
