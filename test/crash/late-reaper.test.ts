/** An owner dies while its reaper is stopped; the reaper wakes while the next owner is running. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { CliHarness, gone, livingOf } from '../e2e/cli-process-harness.ts';

const RUN = ['run', 'think', '--agent', 'scripted:never-speaks', '--detach'];

describe(
  'a reaper that wakes late (R4)',
  { timeout: 300_000, skip: process.platform === 'linux' ? false : 'reapers are found in /proc' },
  () => {
    test('leaves the agents of the next owner alone, and no agent of the dead owner stays alive', async () => {
      await using harness = await CliHarness.create();
      const run = (await harness.run(RUN)).stdout.trim();
      const first = (await agents(harness, run, 1))[0] ?? assert.fail('no agent is on record');
      // Never 0, which would stop the process group of the test.
      const reaper = reapersOf(harness)[0] ?? assert.fail('no reaper is running');
      process.kill(reaper, 'SIGSTOP');
      try {
        await harness.killOwner();
        assert.deepEqual(await livingOf([first]), [first], 'nothing has ended it yet');
        // The next owner resumes the run.
        const second =
          (await agents(harness, run, 2))[1] ?? assert.fail('no second agent is on record');
        assert.deepEqual(await livingOf([first, second]), [second]);
        process.kill(reaper, 'SIGCONT');
        await gone([reaper]);
        assert.deepEqual(await livingOf([second]), [second]);
        assert.equal((await agents(harness, run, 2)).length, 2, 'no third attempt was needed');
      } finally {
        if ((await livingOf([reaper])).length > 0) process.kill(reaper, 'SIGKILL');
      }
    });
  },
);

/** The pids of a run's agents, one for each attempt, once there are that many. */
async function agents(harness: CliHarness, run: string, count: number): Promise<number[]> {
  const pids = async (): Promise<number[]> =>
    (await harness.events(run)).flatMap(({ type, payload }) =>
      type === 'command.noted' && payload.note.kind === 'started' && payload.note.pid !== null
        ? [payload.note.pid]
        : [],
    );
  await eventually(`${count} agents`, async () => (await pids()).length >= count, 60_000);
  return pids();
}

function reapersOf(harness: CliHarness): number[] {
  const words = `supervisor-reaper\0supervisor:${harness.home.id}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(words);
      } catch {
        return false; // it is gone by now
      }
    });
}
