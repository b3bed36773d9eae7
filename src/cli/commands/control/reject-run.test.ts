import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';

test('a rejection of a run that waits for nothing says so, however the run is named', async () => {
  await using cli = await inProcessCli();
  const { out } = await cli.say(['run', 'x', '--agent', 'scripted', '--detach']);
  const id = out.trim();
  for (const name of [id, id.slice(0, 6), id.toUpperCase(), 'last']) {
    const { code, err } = await cli.say(['reject', name, 'wrong']);
    assert.equal(
      err,
      `error: Run ${id} does not wait for an approval, so there is nothing to reject.\nSee what does with: supervisor approvals\n`,
    );
    assert.equal(code, 1);
  }
  const { err } = await cli.say(['reject', id]);
  assert.match(err, new RegExp(`Write what is wrong: supervisor reject ${id} "`));
});
