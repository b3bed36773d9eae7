import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from '../../store/journal.ts';
import type { Instant } from '../../base/clock.ts';
import type { EventIn, NewEventIn } from '../../protocol/streams.ts';
import { MONITOR_STREAM } from '../../protocol/streams.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import type { Codec } from './monitor-memory.ts';
import { MonitorStore } from './monitor-store.ts';

const counts: Codec<number> = {
  write: (value) => (value === 0 ? null : value),
  read: (memory) => (typeof memory === 'number' ? memory : undefined),
};
const clock = new ManualClock();

/** A journal that counts reads, and fails as often as the test says. */
class Journal extends MemoryJournal {
  read = 0;
  faults = 0;

  override async readStream<Name extends string>(
    stream: Name,
    page: Page,
  ): Promise<readonly EventIn<Name>[]> {
    const facts = await super.readStream(stream, page);
    this.read += facts.length;
    return facts;
  }

  override append<Name extends string>(
    stream: Name,
    lastSeq: number,
    events: readonly NewEventIn<Name>[],
    at: Instant,
  ): Promise<readonly EventIn<Name>[]> {
    if (this.faults-- > 0) return Promise.reject(new Error('the disk is full'));
    return super.append(stream, lastSeq, events, at);
  }
}

describe('the memory of monitors', () => {
  test('is there for the next owner, separately for each monitor', async () => {
    const journal = new MemoryJournal();
    const store = await MonitorStore.open({ journal, clock });
    const [health, gang] = [store.memory('health', counts), store.memory('gang', counts)];
    health.set('a', 1);
    health.set('a', 2);
    health.set('b', 3);
    gang.set('a', 4);
    await store.flushed();
    // Both values belong to one tick, so the value in between is no fact.
    assert.equal(await journal.lastSeq(MONITOR_STREAM), 3);
    health.keepOnly((who) => who === 'a');
    await store.flushed();
    const next = await MonitorStore.open({ journal, clock });
    const read = next.memory('health', counts);
    assert.deepEqual([read.get('a'), read.get('b'), read.values], [2, undefined, [2]]);
    assert.equal(next.memory('gang', counts).get('a'), 4);
    assert.equal(next.memory('health', counts), read);
  });

  test('is not written if nothing is new or nothing is to be stored', async () => {
    const journal = new MemoryJournal();
    const store = await MonitorStore.open({ journal, clock });
    const memory = store.memory('health', counts);
    for (const value of [0, 0, 5]) memory.set('a', value);
    await store.flushed();
    memory.set('a', 5);
    await store.flushed();
    assert.equal(await journal.lastSeq(MONITOR_STREAM), 1);
  });

  test('is read from the last facts, however many there are', async () => {
    const journal = new Journal();
    const store = await MonitorStore.open({ journal, clock });
    const memory = store.memory('health', counts);
    memory.set('early', 7);
    memory.set('gone', 8);
    for (let value = 1; value <= 5000; value += 1) {
      memory.set('a', value);
      await store.flushed();
      if (value === 10) memory.set('gone', 0);
    }
    journal.read = 0;
    const read = (await MonitorStore.open({ journal, clock })).memory('health', counts);
    assert.deepEqual([read.get('early'), read.get('gone'), read.get('a')], [7, undefined, 5000]);
    assert.ok(journal.read <= 2000, `${journal.read} facts were read`);
  });

  test('is written later if a write failed, and a waiting caller gets the error', async () => {
    const journal = new Journal();
    const store = await MonitorStore.open({ journal, clock });
    const memory = store.memory('health', counts);
    journal.faults = 1;
    memory.set('a', 1);
    await assert.rejects(store.flushed(), { message: 'the disk is full' });
    await store.flushed();
    const next = await MonitorStore.open({ journal, clock });
    assert.equal(next.memory('health', counts).get('a'), 1);
  });

  test('is dropped if it cannot be read any more', async () => {
    const journal = new MemoryJournal();
    const payload = {
      monitor: 'health',
      subject: 'a',
      memory: { of: 'another version' },
      unsent: [],
    };
    await journal.append(MONITOR_STREAM, 0, [{ type: 'monitor.noted', payload }], clock.now());
    const store = await MonitorStore.open({ journal, clock });
    assert.equal(store.memory('health', counts).get('a'), undefined);
  });
});
