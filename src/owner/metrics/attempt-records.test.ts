import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Journal, Snapshot } from '../../store/journal.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import {
  attempt,
  begins,
  ended,
  ends,
  submitted,
} from '../../../test/support/run-history-fixture.ts';
import { AttemptRecords } from './attempt-records.ts';

function recordsOf(journal: Journal): AttemptRecords {
  return new AttemptRecords({ journal: () => journal, clock: new ManualClock() });
}

/** One run of three attempts, of which gates have judged the last one. */
function facts(): readonly NewRunEvent[] {
  const all: NewRunEvent[] = [submitted()];
  for (let number = 1; number <= 3; number += 1)
    all.push(
      attempt(number, 'main'),
      ends(`attempt-${number}`, { kind: 'completed', summary: 'ok' }),
    );
  all.push(begins('gate-3-1', 'gate', { attempt: 3, name: 'test' }));
  all.push(ends('gate-3-1', { kind: 'passed', name: 'test' }), ended('succeeded', 'ok'));
  return all;
}

async function grow(journal: Journal, from: number, runs: number): Promise<void> {
  for (let nth = from; nth < from + runs; nth += 1)
    await journal.append(runStream(String(nth).padStart(10, '0')), 0, facts(), at(nth));
}

/** More facts than one snapshot, and more records than one page. */
const RUNS = 600;

describe('the records of attempts', { timeout: 120_000 }, () => {
  test('are read again from their snapshots, with the facts since then', async () => {
    const disk = new MemoryDisk();
    const journal = new MemoryJournal(disk);
    await grow(journal, 0, RUNS);
    const first = await recordsOf(journal).read();
    assert.equal(first.records.length, RUNS * 3);
    assert.equal(first.records.filter(({ verdict }) => verdict === 'green').length, RUNS);
    const counted = countReads(journal);
    const again = recordsOf(counted.journal);
    assert.deepEqual(await again.read(), first);
    assert.equal(counted.facts(), 0);
    await grow(journal, RUNS, 2);
    assert.equal((await again.read()).records.length, (RUNS + 2) * 3);
    assert.equal(counted.facts(), 20);
  });

  test('are the same if the snapshots are gone, damaged, or older than their pages', async () => {
    const disk = new MemoryDisk();
    const journal = new MemoryJournal(disk);
    await grow(journal, 0, RUNS);
    await recordsOf(journal).read();
    const early = [...disk.snapshots];
    await grow(journal, RUNS, RUNS);
    const whole = await recordsOf(journal).read();
    const page = JSON.stringify(['attempt-records/1', 'attempt-records@1']);
    const head = JSON.stringify(['attempt-records', 'attempt-records@1']);
    disk.snapshots.delete(page); // as if its checksum were wrong
    assert.deepEqual(await recordsOf(journal).read(), whole);
    // The owner died after it had written the pages and before the position.
    disk.snapshots.set(head, new Map(early).get(head) ?? { seq: 0, text: '' });
    assert.deepEqual(await recordsOf(journal).read(), whole);
    disk.snapshots.clear();
    assert.deepEqual(await recordsOf(journal).read(), whole);
  });

  test('are counted as the journal grows, and wait for nothing if it has hardly grown', async () => {
    const journal = new MemoryJournal();
    const counted = countReads(journal);
    const records = recordsOf(counted.journal);
    await grow(journal, 0, 3);
    await records.grown();
    assert.equal(counted.facts(), 0);
    await grow(journal, 3, RUNS);
    await records.grown();
    assert.equal(counted.facts(), (RUNS + 3) * 10);
  });

  test('are counted even if the disk has no room for snapshots', async () => {
    const disk = new MemoryDisk();
    const journal = new MemoryJournal(disk);
    await grow(journal, 0, RUNS);
    disk.full = true;
    assert.equal((await recordsOf(journal).read()).records.length, RUNS * 3);
    assert.equal(disk.snapshots.size, 0);
  });
});

/** How many facts were read from the journal. */
function countReads(journal: MemoryJournal): { journal: Journal; facts: () => number } {
  let facts = 0;
  const counting = {
    lastId: () => journal.lastId(),
    loadSnapshot: (stream: string, maker: string) => journal.loadSnapshot(stream, maker),
    saveSnapshot: (stream: string, snapshot: Snapshot) => journal.saveSnapshot(stream, snapshot),
    readAll: async (page: { after: number; limit: number }) => {
      const read = await journal.readAll(page);
      facts += read.length;
      return read;
    },
  };
  return { journal: counting as unknown as Journal, facts: () => facts };
}
