import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProcessGroup } from '../host/process/process-group.ts';
import { readProcessList } from '../host/process/read-process.ts';
import { isAlive } from '../host/process/process-table.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { eventually } from '../../test/support/eventually.ts';
import { SandboxPause } from './pause-sandbox.ts';

let groups = 0;

/** A running shell with two descendants. */
async function startShell(): Promise<ProcessGroup> {
  groups += 1;
  const up = Promise.withResolvers<void>();
  const group = new ProcessGroup(
    {
      argv: ['sh', '-c', 'sh -c "sleep 600 & echo up; wait" & wait'],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
    },
    {
      tag: `hold-sandbox-${process.pid}/${groups}`,
      clock: systemClock,
      onStdout: () => up.resolve(),
    },
  );
  await up.promise;
  return group;
}

async function stoppedOf(group: ProcessGroup): Promise<readonly boolean[]> {
  return (await group.members()).map(({ stopped }) => stopped);
}

async function runsAgain(group: ProcessGroup): Promise<void> {
  await eventually('all run', async () => !(await stoppedOf(group)).includes(true), 60_000);
}

test('H7: all processes are paused during a count, and continue after it', async () => {
  const group = await startShell();
  const hold = new SandboxPause(
    readProcessList(() => group.members()),
    undefined,
  );
  assert.deepEqual(await hold.during(() => stoppedOf(group)), {
    held: 'all',
    found: [true, true, true],
  });
  await runsAgain(group);
  await group.kill();
});

test('processes continue after a count that fails', async () => {
  const group = await startShell();
  const hold = new SandboxPause(
    readProcessList(() => group.members()),
    undefined,
  );
  await assert.rejects(
    hold.during(() => Promise.reject(new Error('the disk is broken'))),
    /the disk is broken/,
  );
  await runsAgain(group);
  await group.kill();
});

/** A count that runs until it is cancelled. */
function endlessLook(): { begun: Promise<void>; look: (signal: AbortSignal) => Promise<void> } {
  const begun = Promise.withResolvers<void>();
  return {
    begun: begun.promise,
    look: (signal) => {
      begun.resolve();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    },
  };
}

test('H7: a kill during a count ends everything, and a stop resumes the processes first', async () => {
  for (const how of ['kill', 'stop'] as const) {
    const group = await startShell();
    const members = await group.members();
    const hold = new SandboxPause(
      readProcessList(() => group.members()),
      undefined,
    );
    const { begun, look } = endlessLook();
    const looked = hold.during(look);
    await begun;
    assert.deepEqual(await stoppedOf(group), [true, true, true]);
    if (how === 'kill') await group.kill();
    await hold.end();
    assert.equal(await looked, undefined);
    if (how === 'stop') assert.equal(await group.stop(60_000), 'ended');
    assert.deepEqual(members.map(isAlive), [false, false, false]);
  }
});

test('nothing is paused any more once pausing has ended', async () => {
  const group = await startShell();
  const hold = new SandboxPause(
    readProcessList(() => group.members()),
    undefined,
  );
  await hold.end();
  assert.equal(await hold.during(() => assert.fail('it was held')), undefined);
  await group.kill();
});
