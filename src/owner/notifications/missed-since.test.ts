import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { NewOwnerEvent } from '../../protocol/event.ts';
import { OWNER_STREAM } from '../../protocol/streams.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { missedSince } from './missed-since.ts';

const NOW = 100_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function started(aliveAt?: number): NewOwnerEvent {
  const payload = { pid: 1, version: '1.0.0', ...(aliveAt === undefined ? {} : { aliveAt }) };
  return { type: 'owner.started', payload };
}

const cases: [why: string, facts: readonly NewOwnerEvent[], since: number][] = [
  ['an hour, without an owner on record', [], NOW - HOUR_MS],
  ['an hour, if the end of the owner before is not known', [started()], NOW - HOUR_MS],
  [
    'the end of the owner before, and the time that its deliveries may take',
    [started(NOW - 10 * MINUTE_MS)],
    NOW - 13 * MINUTE_MS,
  ],
  ['an hour, if the owner before ended long ago', [started(NOW - 9 * HOUR_MS)], NOW - HOUR_MS],
  [
    'the owner just before this one',
    [
      started(NOW - 20 * MINUTE_MS),
      { type: 'owner.stopped', payload: { reason: 'idle' } },
      started(NOW - MINUTE_MS),
    ],
    NOW - 4 * MINUTE_MS,
  ],
];

for (const [why, facts, since] of cases)
  test(`news that was missed is as old as ${why}`, async () => {
    const journal = new MemoryJournal(new MemoryDisk());
    await journal.append(OWNER_STREAM, 0, facts, at(0));
    assert.equal(await missedSince(journal, NOW), since);
  });
