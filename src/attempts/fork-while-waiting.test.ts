import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttemptsHarness } from '../../test/support/attempts-harness.ts';
import { settle } from '../testing/fakes/manual-clock.ts';
import { failed, settingsFor } from '../../test/support/drive-attempts.ts';

test('a run that is forked while it waits for a limit waits as well', async () => {
  await using stage = await new AttemptsHarness().open(failed('rate_limited'));
  const run = await stage.start(settingsFor(['a'], { preset: 'retry-then-fallback' }));
  const open = (await stage.engine.get(run))?.open.map(({ key }) => key);
  assert.deepEqual([open, stage.attempts], [['wait-1'], 1]);
  const fork = await stage.engine.fork(run, (await stage.engine.get(run))?.seq ?? 1);
  await settle();
  const waits = (await stage.engine.get(fork))?.open.map(({ command }) => command);
  assert.deepEqual([waits, stage.attempts], [['wait'], 1]);
});
