import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inProcessCli } from '../../../test/support/cli-harness.ts';

const RUN = ['run', 'x', '-a', 'scripted', '--unsafe-no-sandbox', '--without-baseline'];

describe('the progress of run --json', { timeout: 300_000 }, () => {
  test('is one line on stderr for each state', async () => {
    await using cli = await inProcessCli();
    const { out, err } = await cli.say([...RUN, '--gate', 'true', '--json']);
    const { run_id: id } = JSON.parse(out) as { run_id: string };
    assert.deepEqual(err.trimEnd().split('\n'), [
      `Run ${id}: queued`,
      `Run ${id}: preparing`,
      `Run ${id}: running, attempt 1 with scripted`,
      `Run ${id}: verifying, gate true`,
      `Run ${id}: finalizing`,
      `Run ${id}: succeeded`,
    ]);
  });

  test('names each attempt', async () => {
    await using cli = await inProcessCli();
    const chain = ['run', 'x', '--chain', 'scripted:crashes,scripted', '--json'];
    const { err } = await cli.say(chain);
    assert.match(err, /: running, attempt 1 with scripted:crashes\n/);
    assert.match(err, /: running, attempt 2 with scripted\n/);
  });

  test('is silenced by --quiet, and so is that of a run without --json', async () => {
    await using cli = await inProcessCli();
    const json = await cli.say([...RUN, '--json', '--quiet']);
    assert.deepEqual([json.code, json.err], [0, '']);
    const { code, out } = await cli.say([...RUN, '--quiet']);
    assert.equal(code, 0);
    assert.match(out, /^Run [0-9a-f]{10} {2}x\n/);
    assert.doesNotMatch(out, /attempt-1|begins|step 1/);
    assert.match(out, /unverified/);
  });

  test('is not repeated if the events themselves are printed', async () => {
    await using cli = await inProcessCli();
    const { err } = await cli.say([...RUN, '--json=stream']);
    assert.equal(err, '');
  });
});
