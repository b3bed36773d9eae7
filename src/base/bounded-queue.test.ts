import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BoundedQueue } from './bounded-queue.ts';

async function drain<Item>(queue: BoundedQueue<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of queue) items.push(item);
  return items;
}

describe('a bounded queue', () => {
  test('returns its items in order, including those added before it was closed', async () => {
    const queue = new BoundedQueue<number>(3);
    assert.deepEqual(
      [1, 2, 3, 4].map((item) => queue.offer(item)),
      [true, true, true, false],
    );
    queue.close();
    assert.deepEqual([queue.size, queue.closed, queue.offer(5)], [3, true, false]);
    assert.deepEqual(await drain(queue), [1, 2, 3]);
    assert.deepEqual(await drain(queue), []);
  });

  test('needs space for at least one item', () => {
    assert.throws(() => new BoundedQueue(0), RangeError);
    assert.throws(() => new BoundedQueue(Number.NaN), RangeError);
  });

  test('never contains more items than its bound, even if the consumer is slow', async () => {
    const queue = new BoundedQueue<number>(2);
    const producing = (async () => {
      for (let item = 0; item < 50; item += 1) assert.equal(await queue.push(item), true);
      queue.close();
    })();
    const seen: number[] = [];
    for await (const item of queue) {
      seen.push(item);
      assert.ok(queue.size <= 2);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await producing;
    assert.deepEqual(
      seen,
      Array.from({ length: 50 }, (_, item) => item),
    );
  });

  test('wakes every producer and consumer, and gives each item to one consumer', async () => {
    const queue = new BoundedQueue<number>(1);
    const consumers = [drain(queue), drain(queue), drain(queue)];
    const producers = Array.from({ length: 20 }, (_, item) => queue.push(item));
    assert.deepEqual(
      await Promise.all(producers),
      producers.map(() => true),
    );
    queue.close();
    const seen = (await Promise.all(consumers)).flat();
    assert.deepEqual(
      seen.toSorted((a, b) => a - b),
      Array.from({ length: 20 }, (_, item) => item),
    );
  });

  test('refuses items of waiting producers when it is closed', async () => {
    const queue = new BoundedQueue<string>(1);
    queue.offer('a');
    const waiting = [queue.push('b'), queue.push('c')];
    queue.close();
    assert.deepEqual(await Promise.all(waiting), [false, false]);
    assert.equal(await queue.push('d'), false);
  });

  test('gives the remaining items to the next consumer if one stops early', async () => {
    const queue = new BoundedQueue<number>(9);
    for (const item of [1, 2, 3]) queue.offer(item);
    for await (const item of queue) if (item === 1) break;
    queue.close();
    assert.deepEqual(await drain(queue), [2, 3]);
  });
});
