import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../testing/fakes/manual-clock.ts';
import { limitConcurrency } from './limit-concurrency.ts';

test('runs at most the given number at a time, also after one has failed', async () => {
  const limit = limitConcurrency(2);
  const started: number[] = [];
  const ends = [1, 2, 3, 4].map(() => Promise.withResolvers<number>());
  const runs = ends.map(({ promise }, index) =>
    limit(() => {
      started.push(index);
      return promise;
    }),
  );
  const results = Promise.allSettled(runs);
  await settle();
  assert.deepEqual(started, [0, 1]);
  ends[1]?.reject(new Error('failed'));
  await settle();
  assert.deepEqual(started, [0, 1, 2]);
  for (const index of [0, 2, 3]) ends[index]?.resolve(index);
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual(started, [0, 1, 2, 3]);
});
