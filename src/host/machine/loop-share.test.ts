import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoopShare } from './loop-share.ts';

test('a task in many pieces yields to the event loop again and again (R8)', async () => {
  let now = 0;
  const share = new LoopShare(() => now);
  let turns = 0;
  let over = false;
  const count = (): void => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  for (; now < 200; now += 1) await share.pause();
  over = true;
  assert.ok(turns >= 5, `${turns} turns`);
});

test('a task is interrupted once its turn has lasted too long, and not before', async () => {
  let now = 0;
  const share = new LoopShare(() => now);
  let turned = false;
  setImmediate(() => (turned = true));
  await share.pause();
  now = 9;
  await share.pause();
  assert.equal(turned, false);
  now = 10;
  await share.pause();
  assert.equal(turned, true);
});
