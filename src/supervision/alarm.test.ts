import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../base/clock.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { Alarm } from './alarm.ts';

test('a thousand alarms are one sleeper, and ring in the order in which they are due', async () => {
  const clock = new ManualClock();
  const alarm = new Alarm(clock);
  const rung: string[] = [];
  for (let n = 0; n < 1000; n += 1) alarm.set(at(1000 - n), () => rung.push(`${clock.now()}`));
  await clock.advance(0);
  assert.equal(clock.sleeping, 1);
  await clock.advance(3);
  assert.deepEqual(rung, ['1', '2', '3']);
  assert.equal(clock.sleeping, 1);
  alarm.silence();
  await clock.advance(2000);
  assert.deepEqual([rung.length, clock.sleeping], [3, 0]);
});

test('one instant rings in the order of setting, and one set while ringing rings too', async () => {
  const clock = new ManualClock();
  const alarm = new Alarm(clock);
  const rung: string[] = [];
  alarm.set(at(10), () => {
    rung.push('first');
    alarm.set(at(15), () => rung.push('third'));
  });
  alarm.set(at(10), () => rung.push('second'));
  alarm.set(at(20), () => rung.push('fourth'));
  await clock.advance(30);
  assert.deepEqual(rung, ['first', 'second', 'third', 'fourth']);
});
