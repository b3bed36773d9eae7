/** Runs are named as people name them, through the real command. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CliHarness } from './cli-process-harness.ts';

describe('a person names runs', { timeout: 300_000 }, () => {
  test('by last, by the beginning of an id and by the name of an agent, and ends all at once', async () => {
    await using harness = await CliHarness.create();
    const run = ['run', 'think', '--agent', 'scripted:never-speaks', '--detach'];
    const id = (await harness.run(run)).stdout.trim();
    await harness.run(['spawn', 'x', '--name', 'docs', '--agent', 'scripted:never-speaks']);
    const shown = async (name: string): Promise<string | undefined> =>
      /^run +([0-9a-f]{10})$/m.exec((await harness.run(['status', name])).stdout)?.[1];
    const agent = await shown('docs');
    assert.deepEqual([await shown('last'), await shown(id.slice(0, 9))], [id, id]);
    assert.notEqual(agent, id);
    assert.match((await harness.run(['tree'])).stdout, /^docs +\w+ .* mortal [0-9a-f]{10}\n$/);
    assert.match((await harness.run(['tree', '--internals'])).stdout, /^owner +running /);
    const { code, stdout } = await harness.run(['kill', '--all']);
    assert.deepEqual(
      [code, stdout.trimEnd().split('\n').toSorted()],
      [0, [`${agent}  killed`, `${id}  killed`].toSorted()],
    );
    assert.deepEqual(await harness.runs(), []);
  });
});
