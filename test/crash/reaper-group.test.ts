/** R10: every process that an agent started dies with the owner, even without its tag. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isAlive, processTable } from '../../src/host/process/process-table.ts';
import { eventually } from '../support/eventually.ts';

const skip = process.platform === 'linux' ? false : 'the environment is read from /proc';

test('the reaper kills the whole group of an agent', { skip }, async () => {
  const program = fileURLToPath(new URL('children/has-bare-tool.ts', import.meta.url));
  const tag = `reaper-group-${process.pid}`;
  const owner = spawn(process.execPath, [program, tag], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const exited = once(owner, 'exit');
  const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
  const pids = line.split(' ').map(Number);
  const all = pids.map((pid) => ({ pid, startTime: processTable.row(pid)?.startTime ?? -1 }));
  try {
    assert.equal(all.length, 3);
    const tool = pids[2] ?? 0;
    await eventually('its tool has no tag', () => !environOf(tool).includes(tag));
    owner.kill('SIGKILL');
    await exited;
    await eventually('reaper, agent and tool are gone', () => !all.some(isAlive), 30_000);
  } finally {
    owner.kill('SIGKILL');
    for (const one of all) if (isAlive(one)) process.kill(one.pid, 'SIGKILL');
  }
});

function environOf(pid: number): string {
  return readFileSync(`/proc/${pid}/environ`, 'utf8');
}
