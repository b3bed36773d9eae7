/** Commands that follow events or output continue when the owner is replaced, and repeat nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CliHarness } from './cli-process-harness.ts';

const SLOW = `agents:
  - { id: slow, cli: scripted, args: ['1000', '100'] }
`;

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

describe('a follower whose owner dies', { timeout: 300_000 }, () => {
  test('shows each event once, and each piece of output once', async () => {
    await using harness = await CliHarness.create(SLOW);
    const started = await harness.run(['run', 'x', '--agent', 'slow', '--detach']);
    const run = started.stdout.trim();
    const events = harness.type(['events', '--follow', '--json']);
    const ofRun = harness.type(['events', '--run', run, '--follow', '--json']);
    const logs = harness.type(['logs', run, '--follow', '--raw']);
    await events.shows(/"type":"command.noted"/);
    await ofRun.shows(/"type":"command.noted"/);
    await logs.shows(/step 2 /);
    await harness.killOwner();
    for (const one of [events, ofRun, logs])
      await one.shows(/Connection to the owner lost, reconnecting/);
    await ofRun.shows(/"key":"attempt-2"/);
    await logs.shows(/reconnecting[^]*step \d+ of/);
    assert.equal((await harness.run(['stop', run])).code, 0);
    await events.shows(/"type":"run.ended"/);
    events.child.kill('SIGINT');
    const ended = await Promise.all([events.ended, ofRun.ended, logs.ended]);
    assert.deepEqual(
      ended.map(({ code }) => code),
      [0, 0, 0],
    );
    const [all, one, printed] = ended.map(({ stdout }) => linesOf(stdout));
    const stored = linesOf((await harness.run(['events', '--after', '0', '--json'])).stdout);
    assert.deepEqual(all, stored.slice(0, all?.length));
    const storedOfRun = ['events', '--run', run, '--after', '0', '--json'];
    assert.deepEqual(one, linesOf((await harness.run(storedOfRun)).stdout));
    assert.deepEqual(printed, linesOf((await harness.run(['logs', run, '--raw'])).stdout));
  });
});
