/** `runs prune` as a user types it. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { StatusDocument } from '../../src/public-json/status-document.ts';
import { PruneDocument } from '../../src/public-json/work-documents.ts';
import { CliHarness } from './cli-process-harness.ts';

describe('supervisor runs prune', { timeout: 300_000 }, () => {
  test('lists what it would remove, removes it only after a yes, and then has nothing to do', async () => {
    await using harness = await CliHarness.create();
    await harness.run(['run', 'work', '--agent', 'scripted']);
    const prune = ['runs', 'prune', '--older-than', '0s'];
    const dry = await harness.run([...prune, '--dry-run', '--json']);
    const { runs, deleted } = PruneDocument.parse(JSON.parse(dry.stdout));
    const [run] = runs;
    assert.deepEqual(
      [dry.code, deleted, run?.files.map(({ kind }) => kind)],
      [0, null, ['output']],
    );
    const output = join(harness.home.outputs, run?.run_id ?? '');
    const unsure = await harness.run(prune);
    assert.equal(unsure.code, 2);
    assert.match(unsure.stdout, new RegExp(`^${run?.run_id} .* ago {2}work\nTotal .* 1 output `));
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
    const listed = await harness.json(StatusDocument, ['runs', 'list', '--all']);
    assert.deepEqual(
      listed.runs.map(({ run_id: id }) => id),
      [run?.run_id],
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
