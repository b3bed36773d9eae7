import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { TAG_VARIABLE } from './process-table.ts';

const reaper = JSON.stringify(new URL('reaper.ts', import.meta.url).href);
const skip = process.platform === 'linux' ? false : 'the start time is read from /proc';

/** A process that starts a reaper and is killed at once. */
function dieAsOwner(owner: string): void {
  const script = `import { Reaper } from ${reaper};
    new Reaper(process.argv[1]);
    process.kill(process.pid, 'SIGKILL');`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
  const { signal, stderr } = spawnSync(process.execPath, [...args, owner], { encoding: 'utf8' });
  assert.equal(signal, 'SIGKILL', stderr);
}

test(
  'the reaper kills a process whatever characters are in its name',
  { skip, timeout: 300_000 },
  async () => {
    await using dir = await tempDir();
    const names = ['plain', 'a\nb', 'a) R 1\n2', '\n', ') ) ('];
    for (const [at, name] of names.entries()) {
      const program = join(dir.path, name);
      await writeFile(program, '#!/bin/sh\nread -r word\n', { mode: 0o700 });
      const owner = `reaper-name-${process.pid}-${at}`;
      const env = { PATH: '/usr/bin:/bin', [TAG_VARIABLE]: `${owner}/x` };
      const agent = spawn(program, [], {
        env,
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
      });
      const ended = once(agent, 'exit');
      try {
        const stat = `/proc/${agent.pid}/stat`;
        await eventually('it has its name', () => readFileSync(stat, 'utf8').includes(`(${name})`));
        dieAsOwner(owner);
        const over = AbortSignal.timeout(30_000);
        await Promise.race([ended, once(over, 'abort')]);
        assert.equal(agent.signalCode, 'SIGKILL', JSON.stringify(name));
      } finally {
        agent.kill('SIGKILL');
        await ended;
      }
    }
  },
);
