import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { RestartTimer } from './restart-timer.ts';

test('a thousand timers need one sleep, and ring in the order in which they are due', async () => {
  const clock = new ManualClock();
  const timer = new RestartTimer(clock);
  const rung: string[] = [];
  for (let n = 0; n < 1000; n += 1) timer.set(1000 - n, () => rung.push(`${clock.now()}`));
  await clock.advance(0);
  assert.equal(clock.sleeping, 1);
  await clock.advance(3);
  assert.deepEqual(rung, ['1', '2', '3']);
  assert.equal(clock.sleeping, 1);
  timer.cancelAll();
  await clock.advance(2000);
  assert.deepEqual([rung.length, clock.sleeping], [3, 0]);
});

test('timers of one moment ring in the order of setting, also one that is set meanwhile', async () => {
  const clock = new ManualClock();
  const timer = new RestartTimer(clock);
  const rung: string[] = [];
  timer.set(10, () => {
    rung.push('first');
    timer.set(5, () => rung.push('third'));
  });
  timer.set(10, () => rung.push('second'));
  timer.set(20, () => rung.push('fourth'));
  await clock.advance(30);
  assert.deepEqual(rung, ['first', 'second', 'third', 'fourth']);
});

test('setting the wall clock changes no wait', async () => {
  for (const jumpMs of [-3_600_000, 3_600_000]) {
    const clock = new ManualClock(7_200_000);
    const timer = new RestartTimer(clock);
    const rung: number[] = [];
    timer.set(10, () => rung.push(clock.elapsedMs()));
    await clock.advance(5);
    await clock.jump(jumpMs);
    await clock.advance(100);
    assert.deepEqual(rung, [10]);
  }
});
