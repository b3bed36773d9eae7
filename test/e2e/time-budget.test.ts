/** A time budget ends an agent that hangs, in the program as a person uses it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CliHarness } from './cli-process-harness.ts';

test('an agent that makes no call and writes nothing ends with its time budget', async () => {
  await using at = await CliHarness.create();
  const limits = ['--set', 'budget.wall_s=1', '--no-ask'];
  const run = await at.run(['run', 'hang', '--agent', 'scripted:never-speaks', ...limits]);
  const shown = `${run.stdout}${run.stderr}`;
  assert.match(shown, /attempt-1: the time budget of this run is spent/);
  assert.match(shown, /blocked: The time budget of this run is spent: 1s are over/);
  assert.equal(run.code, 1);
});
