import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock, settle } from '../testing/fakes/manual-clock.ts';
import { Idle } from './idle.ts';

function watch(isBusy: () => boolean = () => false) {
  const clock = new ManualClock();
  const idle = new Idle(clock, isBusy);
  const closed = new AbortController();
  let ended: boolean | undefined;
  void idle.waitForIdle(1000, closed.signal).then((isIdle) => (ended = isIdle));
  return { clock, idle, closed, ended: () => ended };
}

describe('an owner', () => {
  test('is idle once nobody has asked anything of it for a while', async () => {
    const { clock, idle, ended } = watch();
    await clock.advance(999);
    idle.touched();
    await clock.advance(999);
    assert.equal(ended(), undefined);
    await clock.advance(1);
    assert.equal(ended(), true);
  });

  test('is not idle while a run goes on', async () => {
    let busy = true;
    const { clock, ended } = watch(() => busy);
    await clock.advance(10_000);
    assert.equal(ended(), undefined);
    busy = false;
    await clock.advance(2000);
    assert.equal(ended(), true);
  });

  test('is not idle while anybody holds it, and leaving twice counts once', async () => {
    const { clock, idle, ended } = watch();
    const [leaveFirst, leaveSecond] = [idle.hold(), idle.hold()];
    leaveFirst();
    leaveFirst();
    await clock.advance(10_000);
    assert.equal(ended(), undefined);
    leaveSecond();
    await clock.advance(999);
    assert.equal(ended(), undefined);
    await clock.advance(1001);
    assert.equal(ended(), true);
  });

  test('that closes is no longer waited for', async () => {
    const { closed, ended } = watch();
    closed.abort();
    await settle();
    assert.equal(ended(), false);
  });
});
