import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { systemClock } from '../machine/system-clock.ts';
import { takeSnapshot } from './process-snapshot.ts';
import { runCommand } from './run-command.ts';
import { startCommandsApart } from './start-command.ts';

const TAG = `start-command-test/${process.pid}`;
const bounds = {
  clock: systemClock,
  deadlineMs: 60_000,
  outputBytesMax: 1000,
};

let commands = 0;

/** A command that prints the process that started it. */
async function parentOfCommand(): Promise<number> {
  const command = { argv: ['/bin/sh', '-c', 'echo $PPID'], cwd: '/', env: {} };
  const answer = await runCommand(command, { ...bounds, tag: `${TAG}/${(commands += 1)}` });
  return answer.kind === 'ended' ? Number(answer.stdout.toString('utf8')) : Number.NaN;
}

describe('commands', () => {
  test('are started here if there are few, and apart if there are many', async () => {
    const stop = startCommandsApart({ node: process.execPath, tag: `${TAG}/apart` });
    try {
      assert.equal(await parentOfCommand(), process.pid);
      let parents: readonly number[] = [];
      await eventually('they are started apart', async () => {
        parents = await Promise.all(Array.from({ length: 8 }, parentOfCommand));
        return parents.every((parent) => parent !== process.pid);
      });
      const { tags } = await takeSnapshot();
      assert.deepEqual(
        [...new Set(parents)].map((parent) => tags.get(parent)),
        [`${TAG}/apart`],
      );
    } finally {
      await stop();
    }
    assert.equal(await parentOfCommand(), process.pid);
  });
});
