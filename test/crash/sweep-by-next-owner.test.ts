/**
 * R10: an owner and its reaper die together. The next owner ends everything that they left before
 * it begins.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { stopOwner } from '../../src/client/connect.ts';
import { homeTag } from '../../src/owner/owner-state.ts';
import { homeAt } from '../../src/host/machine/state-home.ts';
import { isAlive, processTable } from '../../src/host/process/process-table.ts';
import { livingProcesses, killTagged } from '../../src/host/process/kill-tagged.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import { ownerOf } from './kill-storm.ts';

const skip = process.platform === 'linux' ? false : 'the reaper is found in /proc';

test('the next owner ends the agents of one that died with its reaper', { skip }, async () => {
  await using folder = await tempDir();
  const home = homeAt(`${folder.path}/home`, folder.path);
  const project = `${folder.path}/project`;
  mkdirSync(home.dir, { mode: 0o700 });
  mkdirSync(project);
  const tag = homeTag(home);
  try {
    const first = await ownerOf(home);
    await first.submit({ task: 'work', project, agent: 'scripted:deaf-with-child' });
    await eventually('an agent and its tool', async () => (await family(tag)).length >= 2, 30_000);
    const left = await family(tag);
    const { pid } = await first.machine.owner();
    process.kill(pid, 'SIGSTOP'); // otherwise it would have another reaper at once
    for (const reaper of reapersOf(pid)) process.kill(reaper, 'SIGKILL');
    await eventually('its reaper is gone', () => reapersOf(pid).every((one) => isZombie(one)));
    process.kill(pid, 'SIGKILL');
    await eventually('it is gone', () => processTable.row(pid) === undefined || isZombie(pid));
    assert.deepEqual(
      left.map((one) => isAlive(one)),
      left.map(() => true),
    );
    await ownerOf(home); // answers only once it has the state
    assert.deepEqual(
      left.map((one) => isAlive(one)),
      left.map(() => false),
    );
    await stopOwner(home, systemClock);
  } finally {
    await killTagged(tag);
  }
});

async function family(tag: string): ReturnType<typeof livingProcesses> {
  return livingProcesses({ tag, known: new Map() });
}

function reapersOf(owner: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => statOf(pid)?.[1] === String(owner) && isReaper(pid))
    .map(Number);
}

function isReaper(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('supervisor-reaper');
  } catch {
    return false;
  }
}

function isZombie(pid: number): boolean {
  const state = statOf(String(pid))?.[0];
  return state === undefined || state === 'Z';
}

/** State and parent. */
function statOf(pid: string): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
