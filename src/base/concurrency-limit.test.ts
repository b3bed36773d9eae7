import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConcurrencyLimit } from './concurrency-limit.ts';

test('no more tasks than allowed run at once, in the order of their calls, even after one fails', async () => {
  const few = new ConcurrencyLimit(2);
  const doors = Array.from({ length: 6 }, () => Promise.withResolvers<number>());
  const begun: number[] = [];
  const results = doors.map(({ promise }, nth) =>
    few.run(() => {
      begun.push(nth);
      return promise;
    }),
  );
  const settled = Promise.allSettled(results);
  await Promise.resolve();
  assert.deepEqual(begun, [0, 1]);
  doors[1]?.reject(new Error('a fault'));
  await Promise.allSettled([results[1]]);
  await new Promise(setImmediate);
  assert.deepEqual(begun, [0, 1, 2]);
  for (const [nth, door] of doors.entries()) door.resolve(nth);
  assert.deepEqual(
    (await settled).map((one) => (one.status === 'fulfilled' ? one.value : 'failed')),
    [0, 'failed', 2, 3, 4, 5],
  );
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5]);
  assert.equal(await few.run(async () => 7), 7);
});
