import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { terminalCommand } from './terminal-command.ts';

const skip = existsSync('/usr/bin/script') ? false : 'script is not here';

describe('a command in a terminal of its own', { skip, timeout: 60_000 }, () => {
  test('ends with its exit code although the program before it had started a bridge', async () => {
    const command = terminalCommand(['sh', '-c', 'test -t 0 && exit 7'], { rows: 24, columns: 80 });
    // As the first program of a sandbox does: the bridge is a child of the process that becomes the command.
    const entry = ['-c', 'sleep 600 & echo $!; exec "$@"', 'entry', ...command];
    const child = spawn('sh', entry, { stdio: ['pipe', 'pipe', 'ignore'] });
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    const bridge = Number(printed.toString());
    try {
      const [code] = await once(child, 'exit');
      assert.equal(code, 7);
    } finally {
      child.kill('SIGKILL');
      process.kill(bridge, 'SIGKILL');
    }
  });
});
