import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KeyedSerial, Serial } from './serial.ts';

describe('a serial queue', () => {
  test('starts a task only when the one before it has ended, in the order of the calls', async () => {
    const serial = new Serial();
    const log: string[] = [];
    const first = Promise.withResolvers<string>();
    const results = [
      serial.run(async () => {
        log.push('first starts');
        const value = await first.promise;
        log.push('first ends');
        return value;
      }),
      serial.run(async () => {
        log.push('second starts');
        await Promise.resolve();
        return 'two';
      }),
    ];
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(log, ['first starts']);
    first.resolve('one');
    assert.deepEqual(await Promise.all(results), ['one', 'two']);
    assert.deepEqual(log, ['first starts', 'first ends', 'second starts']);
  });

  test('reports a failure to the caller of that task alone, and runs the next one', async () => {
    const serial = new Serial();
    const failed = serial.run(() => Promise.reject(new Error('no')));
    const next = serial.run(() => Promise.resolve('yes'));
    await assert.rejects(failed, { message: 'no' });
    assert.equal(await next, 'yes');
  });

  test('is idle when the tasks added so far have ended, even if one failed', async () => {
    const serial = new Serial();
    let ended = 0;
    const task = async (): Promise<void> => {
      await Promise.resolve();
      ended += 1;
    };
    void serial.run(task);
    serial.run(() => Promise.reject(new Error('no'))).catch(() => undefined);
    void serial.run(task);
    await serial.idle();
    assert.equal(ended, 2);
  });
});

describe('serial queues by key', () => {
  test('run one task at a time for each key, and a slow key does not delay another', async () => {
    const queues = new KeyedSerial();
    const slow = Promise.withResolvers<string>();
    const log: string[] = [];
    const first = queues.run('a', () => slow.promise);
    const second = queues.run('a', async () => void log.push('second of a'));
    assert.equal(await queues.run('b', () => Promise.resolve('b')), 'b');
    assert.deepEqual(log, []);
    slow.resolve('a');
    assert.equal(await first, 'a');
    await second;
    assert.deepEqual(log, ['second of a']);
  });

  test('are dropped when their last task has ended, well or badly', async () => {
    const queues = new KeyedSerial();
    const tasks = [
      queues.run('a', () => Promise.resolve()),
      queues.run('a', () => Promise.reject(new Error('no'))),
      queues.run('b', () => Promise.resolve()),
    ];
    assert.equal(queues.size, 2);
    await Promise.allSettled(tasks);
    assert.equal(queues.size, 0);
  });
});
