import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { Silence } from './silence.ts';

test('a silence is too long only if nothing interrupts it', async () => {
  const clock = new ManualClock();
  const silence = new Silence(clock, 1000);
  let isTooLong = false;
  void silence.tooLong(new AbortController().signal).then(() => (isTooLong = true));
  for (let line = 0; line < 3; line += 1) {
    await clock.advance(900);
    silence.heard();
    await clock.nextTurn();
  }
  assert.equal(isTooLong, false);
  await clock.advance(1000);
  assert.equal(isTooLong, true);
});

test('a silence after the end of the story ends nothing', async () => {
  const clock = new ManualClock();
  const over = new AbortController();
  let isTooLong = false;
  void new Silence(clock, 1000).tooLong(over.signal).then(() => (isTooLong = true));
  over.abort();
  await clock.advance(5000);
  assert.equal(isTooLong, false);
});
