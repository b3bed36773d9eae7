import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isAlive, processTable } from '../../src/host/process/process-table.ts';
import { Reaper } from '../../src/host/process/reaper.ts';
import { killTagged } from '../../src/host/process/kill-tagged.ts';
import { eventually } from '../support/eventually.ts';

const program = fileURLToPath(new URL('./mortal-owner.ts', import.meta.url));
let owners = 0;

const identify = (pid: number) => ({ pid, startTime: processTable.row(pid)?.startTime ?? -1 });

async function startOwner(...how: string[]) {
  owners += 1;
  return ownerNamed(`reaper-test-${process.pid}-${owners}`, ...how);
}

async function ownerNamed(name: string, ...how: string[]) {
  const child = spawn(process.execPath, [program, name, ...how], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const exited = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { reaper, pids } = JSON.parse(line.toString()) as { reaper: number; pids: number[] };
  return {
    name,
    child,
    exited,
    reaper: identify(reaper),
    pids: pids.map(identify),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await killTagged(name);
    },
  };
}

describe('an owner with a reaper', () => {
  test('killed with SIGKILL, it takes its deaf agent and the tool with it, and the reaper exits', async () => {
    await using owner = await startOwner();
    assert.deepEqual([owner.reaper, ...owner.pids].map(isAlive), [true, true, true]);
    owner.child.kill('SIGKILL');
    await owner.exited;
    await eventually('all are gone', () => ![owner.reaper, ...owner.pids].some(isAlive));
  });

  test('killed with its whole process group, its agents still end', async () => {
    await using owner = await startOwner();
    process.kill(-(owner.child.pid ?? NaN), 'SIGKILL');
    await owner.exited;
    await eventually('all are gone', () => ![owner.reaper, ...owner.pids].some(isAlive));
  });

  test('two owners die separately: the reaper of one leaves the agents of the other', async () => {
    await using first = await startOwner();
    await using second = await startOwner();
    first.child.kill('SIGKILL');
    await eventually('the first are gone', () => ![first.reaper, ...first.pids].some(isAlive));
    assert.deepEqual([second.reaper, ...second.pids].map(isAlive), [true, true, true]);
  });

  test('a reaper that was stopped and wakes late kills what its own owner left, and leaves the agents of the next owner of that home (R4)', async () => {
    const home = `reaper-test-${process.pid}-home`;
    await using first = await ownerNamed(`${home}/first`);
    process.kill(first.reaper.pid, 'SIGSTOP');
    first.child.kill('SIGKILL');
    await first.exited;
    await using second = await ownerNamed(`${home}/second`);
    process.kill(first.reaper.pid, 'SIGCONT');
    await eventually('the first are gone', () => ![first.reaper, ...first.pids].some(isAlive));
    assert.deepEqual([second.reaper, ...second.pids].map(isAlive), [true, true, true]);
  });

  test('after a goodbye the reaper exits and nothing is killed', async () => {
    await using owner = await startOwner('goodbye');
    assert.deepEqual(await owner.exited, [0, null]);
    assert.deepEqual([owner.reaper, ...owner.pids].map(isAlive), [false, true, true]);
  });

  test(
    'its agents hold no end of the pipe that signals its death',
    { skip: noProc() },
    async () => {
      await using owner = await startOwner();
      const ours = new Set(openSockets(owner.child.pid ?? 0));
      assert.ok(ours.size >= 3, 'the owner has its end of the pipe, and of the stdio of its agent');
      const shared = owner.pids
        .flatMap(({ pid }) => openSockets(pid))
        .filter((one) => ours.has(one));
      assert.deepEqual(shared, []);
    },
  );
});

describe('a reaper', () => {
  test('reports whether it is watching, and a second close does nothing', async () => {
    const reaper = new Reaper(`reaper-test-${process.pid}-alone`);
    assert.equal(reaper.isWatching, true);
    await reaper.close();
    assert.equal(reaper.isWatching, false);
    await reaper.close();
  });
});

/** Node's pipes to children are socket pairs; an inherited descriptor shows the same number. */
function openSockets(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`)
    .map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
    .filter((target) => target.startsWith('socket:'));
}

function noProc(): string | false {
  return process.platform === 'linux' ? false : 'open files are read from /proc';
}
