import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttemptsHarness } from '../../../test/support/attempts-harness.ts';
import { done } from '../../../test/support/drive-attempts.ts';
import { GATES, gated } from '../../../test/support/gated-attempts.ts';
import { settle } from '../../testing/fakes/manual-clock.ts';

test('a run that a person resumes runs its red gate again, although no file changed', async () => {
  await using stage = new AttemptsHarness();
  stage.content = 'one';
  await stage.open(done);
  const run = await stage.start(gated(['a'], { gates: GATES.slice(0, 1) }));
  // The second run of the gate comes before the agent is given up.
  assert.deepEqual([(await stage.engine.get(run))?.outcome?.kind, stage.gates], ['failed', 2]);
  const begins = (await stage.facts()).filter(
    (fact) => fact.type === 'command.begun' && fact.payload.command === 'attempt',
  );
  const fork = await stage.engine.fork(run, (begins[1]?.seq ?? 2) - 1);
  await settle();
  assert.deepEqual([(await stage.engine.get(fork))?.outcome?.kind, stage.gates], ['failed', 4]);
});
