import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import type { NewRunEvent, StoredEvent } from '../protocol/event.ts';
import { runStream } from '../protocol/streams.ts';
import { begun } from '../testing/conformance/journal-events.ts';
import { settle } from '../testing/fakes/manual-clock.ts';
import type { Page } from './journal.ts';
import { MemoryJournal } from './memory/memory-journal.ts';
import { followEvents } from './follow.ts';

const RUN = runStream('a000000000');
const OTHER = runStream('b000000000');

function many(count: number): NewRunEvent[] {
  return Array.from({ length: count }, (_, index) => begun(`n-${index}`));
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** Follows until `count` events have arrived, then aborts. */
async function take(
  journal: MemoryJournal,
  from: Parameters<typeof followEvents>[1],
  count: number,
  between: (taken: number) => Promise<void> = async () => undefined,
): Promise<number[]> {
  const stop = new AbortController();
  const received: number[] = [];
  for await (const event of followEvents(journal, from, stop.signal)) {
    received.push(from.stream === undefined ? event.id : event.seq);
    await between(received.length);
    if (received.length === count) stop.abort();
  }
  return received;
}

class CountingJournal extends MemoryJournal {
  listeners = 0;
  reads = 0;

  override readAll(page: Page): Promise<readonly StoredEvent[]> {
    this.reads += 1;
    return super.readAll(page);
  }

  override onCommit(listener: (lastId: number) => void): () => void {
    const stop = super.onCommit(listener);
    this.listeners += 1;
    return () => {
      this.listeners -= 1;
      stop();
    };
  }
}

describe('following', () => {
  test('existing facts come first, over several pages, then new commits', async () => {
    const journal = new MemoryJournal();
    await journal.append(RUN, 0, many(600), at(1));
    const taken = take(journal, { after: 0 }, 700);
    await settle();
    await journal.append(OTHER, 0, many(100), at(2));
    assert.deepEqual(await taken, upTo(700));
  });

  test('one stream is followed by its own seq, and other streams do not disturb it', async () => {
    const journal = new MemoryJournal();
    await journal.append(OTHER, 0, many(5), at(1));
    await journal.append(RUN, 0, many(3), at(1));
    const taken = take(journal, { after: 2, stream: RUN }, 3);
    await journal.append(OTHER, 5, many(5), at(1));
    await journal.append(RUN, 3, many(2), at(1));
    assert.deepEqual(await taken, [3, 4, 5]);
  });

  test('a commit during any step of a slow follower is neither missed nor repeated', async () => {
    const journal = new MemoryJournal();
    await journal.append(RUN, 0, many(1), at(1));
    const taken = await take(journal, { after: 0 }, 1000, async (count) => {
      if (count < 1000 && count % 3 === 1)
        await journal.append(RUN, await journal.lastSeq(RUN), many(3), at(1));
    });
    assert.deepEqual(taken, upTo(1000));
  });

  test('while nothing is committed, nothing is read', async () => {
    const journal = new CountingJournal();
    await journal.append(RUN, 0, many(1), at(1));
    const stop = new AbortController();
    const following = followEvents(journal, { after: 0 }, stop.signal);
    await following.next();
    const second = following.next();
    await journal.append(RUN, 1, many(1), at(1));
    await second;
    const third = following.next();
    await settle();
    assert.equal(journal.reads, 2);
    stop.abort();
    await third;
  });

  test('it ends when it is cancelled, at once and while it waits, and leaves no listener', async () => {
    const journal = new CountingJournal();
    const off = AbortSignal.abort();
    for await (const event of followEvents(journal, { after: 0 }, off)) assert.fail(event.type);
    const stop = new AbortController();
    const waiting = followEvents(journal, { after: 0 }, stop.signal).next();
    await settle();
    assert.equal(journal.listeners, 1);
    stop.abort();
    assert.deepEqual(await waiting, { done: true, value: undefined });
    assert.equal(journal.listeners, 0);
  });
});
