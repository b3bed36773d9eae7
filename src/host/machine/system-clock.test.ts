import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { clockOver, SLICE_MS, systemClock } from './system-clock.ts';

/** Timers that a test advances, with a wall clock that can be set independently. */
function fakeTimers() {
  const started: { ms: number; ring: () => void }[] = [];
  let wallMs = 0;
  let elapsedMs = 0;
  return {
    started,
    clock: clockOver({
      nowMs: () => wallMs,
      elapsedMs: () => elapsedMs,
      startTimer: (ms, ring) => {
        const timer = { ms, ring };
        started.push(timer);
        return () => {
          const place = started.indexOf(timer);
          if (place >= 0) started.splice(place, 1);
        };
      },
      nextTurn: () => Promise.resolve(),
    }),
    /** Fires the one timer that is set, after its time has passed. */
    ring: (jumpMs = 0): void => {
      const timer = started.pop();
      assert.ok(timer, 'no timer is set');
      elapsedMs += timer.ms;
      wallMs += timer.ms + jumpMs;
      timer.ring();
    },
  };
}

describe('the system clock', () => {
  test('a wait longer than one timer can hold is slept in slices', async () => {
    const { clock, started, ring } = fakeTimers();
    const waitMs = 2 ** 31 + 5;
    let slept: boolean | undefined;
    const waiting = clock.sleepUntil(at(waitMs)).then((done) => (slept = done));
    let slices = 0;
    while (started.length > 0) {
      assert.ok((started[0]?.ms ?? Infinity) <= SLICE_MS);
      slices += 1;
      ring();
    }
    await waiting;
    assert.deepEqual([slept, slices], [true, Math.ceil(waitMs / SLICE_MS)]);
  });

  test('case 58: a wall clock that jumps forward ends the wait at the next slice', async () => {
    const { clock, started, ring } = fakeTimers();
    const waiting = clock.sleepUntil(at(3_600_000));
    ring(7_200_000);
    assert.equal(await waiting, true);
    assert.deepEqual(started, []);
  });

  test('case 58: a wall clock that jumps back extends the wait by that much', async () => {
    const { clock, started, ring } = fakeTimers();
    const waiting = clock.sleepUntil(at(1000));
    ring(-5000);
    assert.equal(started[0]?.ms, 5000);
    ring();
    assert.equal(await waiting, true);
  });

  test('case 58: a duration is not affected by jumps of the wall clock', async () => {
    for (const jumpMs of [-3_600_000, 3_600_000]) {
      const { clock, started, ring } = fakeTimers();
      const waiting = clock.sleep(SLICE_MS + 1000);
      ring(jumpMs);
      assert.equal(started[0]?.ms, 1000);
      ring();
      assert.equal(await waiting, true);
    }
  });

  test('a cancelled wait returns false and leaves no timer', async () => {
    const { clock, started } = fakeTimers();
    const off = new AbortController();
    const waiting = clock.sleepUntil(at(1000), off.signal);
    off.abort();
    assert.equal(await waiting, false);
    assert.deepEqual(started, []);
    assert.equal(await clock.sleepUntil(at(1000), off.signal), false);
  });

  test('a task that yields does not delay timers or requests', async () => {
    const rung = new AbortController();
    const timer = setTimeout(() => rung.abort(), 1);
    for (let turns = 0; !rung.signal.aborted && turns < 10_000_000; turns += 1)
      await systemClock.nextTurn();
    clearTimeout(timer);
    assert.equal(rung.signal.aborted, true);
  });

  test('real time passes', async () => {
    const until = at(systemClock.now() + 5);
    assert.equal(await systemClock.sleepUntil(until), true);
    assert.ok(systemClock.now() >= until);
    assert.equal(await systemClock.sleepUntil(at(0)), true);
  });
});
