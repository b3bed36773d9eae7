import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { BURST_MAX, DECISIONS_PER_SECOND, Pace } from './pace.ts';

async function allowed(pace: Pace, tries: number): Promise<number> {
  let count = 0;
  for (let nth = 0; nth < tries; nth += 1) if (await pace.allows()) count += 1;
  return count;
}

describe('the pace of a run', () => {
  test('allows a burst and no more while no time passes', async () => {
    assert.equal(await allowed(new Pace(new ManualClock()), 2 * BURST_MAX), BURST_MAX);
  });

  test('allows a steady rate for ever, and counts the time between decisions', async () => {
    const clock = new ManualClock();
    const pace = new Pace(clock);
    await allowed(pace, BURST_MAX);
    await clock.advance(5000);
    assert.equal(await allowed(pace, BURST_MAX), 5 * DECISIONS_PER_SECOND);
  });

  test('never accumulates more than a burst', async () => {
    const clock = new ManualClock();
    const pace = new Pace(clock);
    await clock.advance(86_400_000);
    assert.equal(await allowed(pace, 2 * BURST_MAX), BURST_MAX);
  });
});
