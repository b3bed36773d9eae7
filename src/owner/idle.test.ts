import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock, settle } from '../testing/fakes/manual-clock.ts';
import { Idle } from './idle.ts';

function startIdle(isBusy: () => boolean = () => false) {
  const clock = new ManualClock();
  const idle = new Idle(clock, isBusy);
  const closed = new AbortController();
  let ended: boolean | undefined;
  void idle.waitForIdle(1000, closed.signal).then((isIdle) => (ended = isIdle));
  return { clock, idle, closed, ended: () => ended };
}

describe('an owner', () => {
  test('is idle after a period without requests', async () => {
    const { clock, idle, ended } = startIdle();
    await clock.advance(999);
    idle.touch();
    await clock.advance(999);
    assert.equal(ended(), undefined);
    await clock.advance(1);
    assert.equal(ended(), true);
  });

  test('is not idle while a run is open', async () => {
    let busy = true;
    const { clock, ended } = startIdle(() => busy);
    await clock.advance(10_000);
    assert.equal(ended(), undefined);
    busy = false;
    await clock.advance(2000);
    assert.equal(ended(), true);
  });

  test('is not idle while a client holds it, and releasing a hold twice counts once', async () => {
    const { clock, idle, ended } = startIdle();
    const [releaseFirst, releaseSecond] = [idle.hold(), idle.hold()];
    releaseFirst();
    releaseFirst();
    await clock.advance(10_000);
    assert.equal(ended(), undefined);
    releaseSecond();
    await clock.advance(999);
    assert.equal(ended(), undefined);
    await clock.advance(1001);
    assert.equal(ended(), true);
  });

  test('that closes stops waiting for idleness', async () => {
    const { closed, ended } = startIdle();
    closed.abort();
    await settle();
    assert.equal(ended(), false);
  });
});
