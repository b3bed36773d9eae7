import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoopShare } from './loop-share.ts';

test('a task in many pieces gives the loop a turn again and again (R8)', async () => {
  const share = new LoopShare();
  let turns = 0;
  let over = false;
  const count = (): void => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const begun = performance.now();
  while (performance.now() - begun < 200) await share.pause();
  over = true;
  assert.ok(turns >= 5, `${turns} turns`);
});

test('a short task is not interrupted', async () => {
  const share = new LoopShare();
  let turned = false;
  setImmediate(() => (turned = true));
  await share.pause();
  await share.pause();
  assert.equal(turned, false);
});
