/** The home is deleted while its owner is running, and a new owner starts at the same path (R6). */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { isRecord, parseJson } from '../../src/base/json.ts';
import { eventually } from '../support/eventually.ts';
import { CliHarness, gone, livingOf } from '../e2e/cli-process-harness.ts';

const RUN = ['run', 'think', '--agent', 'scripted:never-speaks', '--detach'];

describe('an owner whose home is deleted', { timeout: 300_000 }, () => {
  test('ends with its agents, and leaves the next owner and its agents alone', async () => {
    await using harness = await CliHarness.create();
    const old = await agentOf(harness, (await harness.run(RUN)).stdout.trim());
    const oldOwner = ownerPid(harness);
    rmSync(harness.home.dir, { recursive: true });
    mkdirSync(harness.home.dir, { mode: 0o700 });
    const run = (await harness.run(RUN)).stdout.trim();
    const young = await agentOf(harness, run);
    const youngOwner = ownerPid(harness);
    assert.notEqual(youngOwner, oldOwner);
    await gone([oldOwner, old]);
    assert.deepEqual(await livingOf([young, youngOwner]), await livingOf([youngOwner, young]));
    assert.equal((await livingOf([young, youngOwner])).length, 2);
    const runs = await harness.runs();
    assert.deepEqual(
      [runs.map(({ run_id: id }) => id), await harness.ownerPid()],
      [[run], youngOwner],
    );
    assert.equal(
      (await harness.events(run)).filter(({ type }) => type === 'command.noted').length,
      1,
    );
  });

  test('ends with its agents also when nothing replaces the home', async () => {
    await using harness = await CliHarness.create();
    const agent = await agentOf(harness, (await harness.run(RUN)).stdout.trim());
    const owner = ownerPid(harness);
    rmSync(harness.home.dir, { recursive: true });
    await gone([owner, agent]);
  });
});

async function agentOf(harness: CliHarness, run: string): Promise<number> {
  const pid = async (): Promise<number | undefined> =>
    (await harness.events(run)).flatMap(({ type, payload }) =>
      type === 'command.noted' && payload.note.kind === 'started' && payload.note.pid !== null
        ? [payload.note.pid]
        : [],
    )[0];
  await eventually('the agent', async () => (await pid()) !== undefined, 60_000);
  return (await pid()) ?? assert.fail('no agent');
}

function ownerPid(harness: CliHarness): number {
  const facts = parseJson(readFileSync(harness.home.ownerFile, 'utf8'));
  return isRecord(facts) ? Number(facts['pid']) : assert.fail('no owner is up');
}
