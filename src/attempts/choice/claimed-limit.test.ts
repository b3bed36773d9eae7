import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureClass } from '../../failures/failure.ts';
import type { AttemptOutcome } from '../../protocol/contracts/attempt-contract.ts';
import { AttemptsHarness } from '../../../test/support/attempts-harness.ts';
import { START_MS, done, settingsFor } from '../../../test/support/drive-attempts.ts';
import { settle } from '../../testing/fakes/manual-clock.ts';

const MINUTE = 60_000;

/** The agent says so, and none of its model calls shows it. */
function claimed(resetMs: number | null = null): AttemptOutcome {
  const reason = 'rate_limited' as const;
  const resetAt = resetMs === null ? null : START_MS + resetMs;
  const failure = {
    ...failureClass(reason, { isUnproven: true }),
    ...{ reason, message: '429', resetAt, evidence: [] },
  } as const;
  return { kind: 'failed', reason, message: '429', failure };
}

describe('a limit that no model call shows', () => {
  test('does not end the run: the same agent tries again after growing waits', async () => {
    await using stage = new AttemptsHarness();
    await stage.open(async () => (stage.attempts < 3 ? claimed() : done));
    const run = await stage.start(settingsFor(['a']));
    for (const minutes of [1, 5]) {
      await stage.clock.advance(minutes * MINUTE - 1);
      const { open } = (await stage.engine.get(run)) ?? assert.fail();
      assert.deepEqual([open[0]?.waitReason], ['retry']);
      await stage.clock.advance(1);
      await settle();
    }
    assert.equal((await stage.engine.get(run))?.outcome?.kind, 'unverified');
    const cooled = (await stage.facts()).some(
      (fact) => fact.type === 'command.begun' && fact.payload.command === 'set-cooldown',
    );
    assert.equal(cooled, false, 'no other run is affected');
  });

  test('is waited for until the time that its text names', async () => {
    await using stage = new AttemptsHarness();
    await stage.open(async () => (stage.attempts < 2 ? claimed(20 * MINUTE) : done));
    const run = await stage.start(settingsFor(['a']));
    assert.equal((await stage.engine.get(run))?.open[0]?.waitUntil, START_MS + 20 * MINUTE);
  });

  test('hands the work to another agent, if there is one', async () => {
    await using stage = new AttemptsHarness();
    await stage.open(async (agent) => (agent === 'a' ? claimed() : done));
    const run = await stage.start(settingsFor(['a', 'b']));
    assert.equal((await stage.engine.get(run))?.outcome?.kind, 'unverified');
  });

  test('ends the run after the last wait, or at once if it may not wait', async () => {
    await using stage = new AttemptsHarness();
    await stage.open(claimed());
    const patient = await stage.start(settingsFor(['a']));
    const hasty = await stage.start(settingsFor(['a'], { waitForReset: false }));
    assert.equal((await stage.engine.get(hasty))?.outcome?.kind, 'failed');
    await stage.clock.advance(120 * MINUTE);
    await settle();
    assert.equal((await stage.engine.get(patient))?.outcome?.kind, 'exhausted');
    assert.equal(stage.attempts, 7);
  });
});
