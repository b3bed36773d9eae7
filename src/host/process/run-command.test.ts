import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { runCommand } from './run-command.ts';
import { systemClock } from '../machine/system-clock.ts';

const bounds = {
  clock: systemClock,
  tag: 'run-command-test',
  deadlineMs: 60_000,
  outputBytesMax: 1000,
};
const sh = (script: string) => ({
  argv: ['/bin/sh', '-c', script],
  cwd: '/',
  env: { PATH: '/usr/bin:/bin' },
});

describe('a command that has to answer', () => {
  test('returns its output, and how it ended', async () => {
    const command = { ...sh('cat; echo oops >&2; exit 3'), stdin: 'hello' };
    assert.deepEqual(await runCommand(command, bounds), {
      kind: 'ended',
      code: 3,
      stdout: Buffer.from('hello'),
      stderr: 'oops\n',
    });
  });

  test('is killed if it floods, and a failed start is distinguished', async () => {
    assert.deepEqual(await runCommand(sh('yes'), bounds), { kind: 'flooded' });
    const missing = await runCommand({ ...sh(''), argv: ['/no/such/program'] }, bounds);
    assert.equal(missing.kind, 'not-started');
  });

  test('is killed if it exceeds its deadline', async () => {
    const clock = new ManualClock();
    const running = runCommand(sh('sleep 600'), { ...bounds, clock, deadlineMs: 1000 });
    await eventually('it waits', () => clock.sleeping > 0);
    await clock.advance(1000);
    assert.deepEqual(await running, { kind: 'late' });
  });
});
