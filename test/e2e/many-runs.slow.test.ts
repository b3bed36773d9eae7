/** Many runs at once, through the real command: states with their reasons, queries, and a list that is watched. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { CliHarness } from './cli-process-harness.ts';

describe('many runs', { timeout: 300_000 }, () => {
  test('are listed with the reason why one is queued, selected by a query, and watched', async () => {
    await using harness = await CliHarness.create('capacity: { runs_max: 1 }\n');
    const run = ['run', 'think', '--agent', 'scripted:never-speaks', '--detach'];
    const first = (await harness.run(run)).stdout.trim();
    const second = (await harness.run(run)).stdout.trim();
    const status = async (...words: readonly string[]): Promise<string> =>
      (await harness.run(['status', ...words])).stdout;
    await eventually('a running run', async () => / {2}running /.test(await status()));
    const held = 'project project at its limit of 1';
    assert.match(
      await status(),
      new RegExp(`^${second}  queued .*\n {12}${held}\n${first}  running .*  project .*think\n$`),
    );
    assert.match(await status('is:queued', 'project:project'), new RegExp(`^${second}  .*\n.*\n$`));
    assert.equal(await status('is:running', '-project:project'), 'No run matches the query.\n');
    assert.match((await harness.run(['why', second])).stdout, new RegExp(held));
    const wrong = await harness.run(['status', 'is:runing']);
    assert.deepEqual(
      [wrong.code, wrong.stderr.split('\n')[0]],
      [2, 'error: "runing" is not a value for is:'],
    );
    const watch = harness.type(['status', '--watch', '--json']);
    await watch.shows(/"state":"queued"/);
    await harness.run(['kill', first]);
    await watch.shows(new RegExp(`"runs":\\[\\{"run_id":"${second}","state":"running"`));
    watch.child.kill('SIGINT');
    assert.equal((await watch.ended).code, 0);
  });
});
