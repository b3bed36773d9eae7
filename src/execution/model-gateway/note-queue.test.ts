import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AttemptNote } from '../../protocol/contracts/attempt-contract.ts';
import { NoteQueue } from './note-queue.ts';

const removed = (name: string): AttemptNote => ({ kind: 'removed', names: [name] });

describe('the notes of a gateway', () => {
  test('are recorded one after another, in the order in which they were added', async () => {
    const log: AttemptNote[] = [];
    let running = 0;
    const queue = new NoteQueue(async (note) => {
      running += 1;
      assert.equal(running, 1);
      await Promise.resolve();
      log.push(note);
      running -= 1;
    });
    for (const name of ['a', 'b', 'c']) queue.add(removed(name));
    await queue.recorded();
    assert.deepEqual(log, ['a', 'b', 'c'].map(removed));
  });

  test('fail with the first error, after the others are recorded', async () => {
    const log: AttemptNote[] = [];
    const queue = new NoteQueue(async (note) => {
      if (log.length === 1) {
        log.push(removed('failed'));
        throw new Error('the disk is full');
      }
      log.push(note);
    });
    for (const name of ['a', 'b', 'c']) queue.add(removed(name));
    await assert.rejects(queue.recorded(), { message: 'the disk is full' });
    assert.deepEqual(log, ['a', 'failed', 'c'].map(removed));
  });
});
