/** `runs prune` as a user types it. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseJson } from '../../src/base/json.ts';
import type { PrunePlan, Pruned } from '../../src/protocol/views/prune-view.ts';
import { CliHarness } from './cli-process-harness.ts';

type Told = { readonly plan: PrunePlan; readonly pruned: Pruned | null };

describe('supervisor runs prune', { timeout: 300_000 }, () => {
  test('lists what it would remove, removes it only after a yes, and then has nothing to do', async () => {
    await using harness = await CliHarness.create();
    await harness.run(['run', 'work', '--agent', 'scripted']);
    const prune = ['runs', 'prune', '--older-than', '0s'];
    const dry = await harness.run([...prune, '--dry-run', '--json']);
    const { plan, pruned } = parseJson(dry.stdout) as Told;
    const [run] = plan.runs;
    assert.deepEqual(
      [dry.code, pruned, run?.leftovers.map(({ kind }) => kind)],
      [0, null, ['output']],
    );
    const output = join(harness.home.outputs, run?.run ?? '');
    const unsure = await harness.run(prune);
    assert.equal(unsure.code, 2);
    assert.match(unsure.stdout, new RegExp(`^${run?.run} .* ago {2}work\nTotal .* 1 output `));
    assert.match(unsure.stderr, /^Nothing was deleted\. To delete these files, add --yes/);
    assert.equal(existsSync(output), true);
    const sure = await harness.run([...prune, '--yes']);
    assert.deepEqual([sure.code, existsSync(output)], [0, false]);
    assert.match(sure.stdout, /\ndeleted .* of 1 run and 0 briefs\n$/);
    const again = await harness.run(prune);
    assert.deepEqual(
      [again.code, again.stdout],
      [0, 'Nothing to delete: no files of runs that ended more than 0s ago.\n'],
    );
    const listed = await harness.run(['runs', 'list', '--all', '--json']);
    assert.deepEqual(
      (parseJson(listed.stdout) as { id: string }[]).map(({ id }) => id),
      [run?.run],
    );
  });

  test('keeps newer runs, and refuses an invalid time', async () => {
    await using harness = await CliHarness.create();
    await harness.run(['run', 'work', '--agent', 'scripted']);
    const young = await harness.run(['runs', 'prune', '--yes']);
    assert.deepEqual(
      [young.code, young.stdout],
      [0, 'Nothing to delete: no files of runs that ended more than 24h ago.\n'],
    );
    const wrong = await harness.run(['runs', 'prune', '--older-than', 'long']);
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /^error: Invalid duration for --older-than: long\.\n/);
  });
});
