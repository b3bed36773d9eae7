import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { runStream } from '../../protocol/streams.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { begun, submitted } from '../conformance/journal-events.ts';
import { CrashNow, crashingJournal } from './crashing-journal.ts';

const RUN = runStream('a000000000');

describe('a journal that dies at its second append', () => {
  const cases: [when: 'before' | 'after', durable: number][] = [
    ['before', 1],
    ['after', 2],
  ];
  for (const [when, durable] of cases) {
    test(`${when} it is durable: ${durable} facts exist after it, and no later call is answered`, async () => {
      const disk = new MemoryDisk();
      const journal = crashingJournal(new MemoryJournal(disk), 2, when);
      const received: number[] = [];
      journal.onCommit((lastId) => received.push(lastId));
      await journal.append(RUN, 0, [submitted()], at(1));
      await assert.rejects(journal.append(RUN, 1, [begun('one')], at(2)), CrashNow);
      await assert.rejects(journal.append(RUN, 1, [begun('one')], at(2)), CrashNow);
      await assert.rejects(journal.lastId(), CrashNow);
      assert.deepEqual(received, [1]);
      assert.equal(await new MemoryJournal(disk).lastId(), durable);
    });
  }
});
