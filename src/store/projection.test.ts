import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import type { Json } from '../base/json.ts';
import type { MonitorEvent, NewMonitorEvent, MonitorRecord } from '../protocol/event.ts';
import { MONITOR_STREAM } from '../protocol/streams.ts';
import { ManualClock, settle } from '../testing/fakes/manual-clock.ts';
import { countingJournal } from '../../test/support/counting-journal.ts';
import { MemoryDisk } from './memory/memory-disk.ts';
import { MemoryJournal } from './memory/memory-journal.ts';
import type { ProjectionOptions } from './projection.ts';
import { Projection } from './projection.ts';

type Numbers = readonly number[];
type Watches = typeof MONITOR_STREAM;
type Snapshots = ProjectionOptions<Numbers, Watches>['snapshots'];

const noted = (value: number): MonitorRecord => ({
  monitor: 'm',
  subject: 'a',
  memory: value,
  unsent: [],
});
const event = (value: number): NewMonitorEvent => ({
  type: 'monitor.noted',
  payload: noted(value),
});
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

function fold(numbers: Numbers, { type, payload }: MonitorEvent): Numbers {
  if (type === 'monitor.snapshot') return payload.all.map(({ memory }) => Number(memory));
  return [...numbers, Number(payload.memory)];
}

const EVENTS: Snapshots = {
  kind: 'events',
  every: 100,
  type: 'monitor.snapshot',
  make: (numbers) => ({ type: 'monitor.snapshot', payload: { all: numbers.map(noted) } }),
};
const TABLE: Snapshots = {
  kind: 'table',
  every: 100,
  maker: 'numbers@1',
  write: (numbers) => [...numbers] as Json,
  read: (stored) => stored as Numbers,
};
const ALL_STREAMS: Snapshots = { ...TABLE, allStreamsBack: 2000 };
const NEWEST: Snapshots = { kind: 'newest', eventsMax: 1500 };

function harness(snapshots: Snapshots): {
  readonly disk: MemoryDisk;
  readonly stored: MemoryJournal;
  readonly clock: ManualClock;
  /** As the next owner does it; says how many events it read. */
  readonly open: () => Promise<{ projection: Projection<Numbers, Watches>; read: () => number }>;
} {
  const disk = new MemoryDisk();
  const stored = new MemoryJournal(disk);
  const clock = new ManualClock(1000);
  return {
    disk,
    stored,
    clock,
    open: async () => {
      const { journal, read } = countingJournal(stored);
      const projection = await Projection.open<Numbers, Watches>({
        journal,
        clock,
        stream: MONITOR_STREAM,
        initial: [],
        fold,
        snapshots,
      });
      return { projection, read };
    },
  };
}

for (const [name, snapshots] of Object.entries({ EVENTS, TABLE, ALL_STREAMS, NEWEST }))
  describe(`a projection with snapshots of kind ${name}`, () => {
    test('is empty at first, and has for the next owner what was changed', async () => {
      const { open } = harness(snapshots);
      const { projection } = await open();
      assert.deepEqual(projection.state, []);
      await projection.change(() => [event(1), event(2)]);
      await projection.change(() => []);
      await projection.change((numbers) => [event(numbers.length + 1)]);
      assert.deepEqual(projection.state, [1, 2, 3]);
      assert.deepEqual((await open()).projection.state, [1, 2, 3]);
    });

    test('decides one change at a time, each on the state that the one before it left', async () => {
      const { open } = harness(snapshots);
      const { projection } = await open();
      const next = (numbers: Numbers): NewMonitorEvent[] => [event(numbers.length + 1)];
      await Promise.all(upTo(20).map(() => projection.change(next)));
      assert.deepEqual((await open()).projection.state, upTo(20));
    });

    test('refuses a change on a full disk, and then is as it was', async () => {
      const { disk, open } = harness(snapshots);
      const { projection } = await open();
      await projection.change(() => [event(1)]);
      disk.full = true;
      const refused = projection.change(() => [event(2)]);
      await assert.rejects(refused, (error) => isRefusal(error, 'store.full'));
      assert.deepEqual(projection.state, [1]);
      disk.full = false;
      await projection.change(() => [event(3)]);
      assert.deepEqual((await open()).projection.state, [1, 3]);
    });

    test('reads few events, however many there are', async () => {
      const { open } = harness(snapshots);
      const { projection } = await open();
      for (const value of upTo(1200)) {
        projection.put([...projection.state, value]);
        await projection.store([event(value)], 'refuse');
      }
      const next = await open();
      assert.deepEqual(next.projection.state, upTo(1200));
      assert.ok(next.read() <= 1200, `${next.read()} events were read`);
    });

    test('stores what waits for room on a full disk once there is room', async () => {
      const { disk, clock, open } = harness(snapshots);
      const { projection } = await open();
      disk.full = true;
      projection.put([1]);
      void projection.store([event(1)], 'wait');
      let isDurable = false;
      const flushed = projection.flushed().then(() => (isDurable = true));
      await settle();
      assert.deepEqual([projection.state, isDurable], [[1], false]);
      disk.full = false;
      await clock.advance(1000);
      await flushed;
      assert.deepEqual((await open()).projection.state, [1]);
    });

    test('reports a refused write to its caller alone', async () => {
      const { disk, open } = harness(snapshots);
      const { projection } = await open();
      disk.full = true;
      const refused = projection.store([event(1)], 'refuse');
      await assert.rejects(refused, (error) => isRefusal(error, 'store.full'));
      await projection.flushed();
    });
  });

describe('a projection with snapshot events', () => {
  test('reads back to the newest snapshot and no further', async () => {
    const { open } = harness(EVENTS);
    const { projection } = await open();
    for (const value of upTo(2500)) {
      projection.put([...projection.state, value]);
      void projection.store([event(value)], 'wait');
    }
    await projection.flushed();
    const next = await open();
    assert.deepEqual(next.projection.state, upTo(2500));
    assert.equal(next.read(), 500);
  });

  test('has in a snapshot what was put without an event', async () => {
    const { open } = harness(EVENTS);
    const { projection } = await open();
    projection.put([7]);
    await projection.snapshot('refuse');
    assert.deepEqual((await open()).projection.state, [7]);
  });

  test('makes a snapshot later that a full disk refused', async () => {
    const { disk, open } = harness(EVENTS);
    const { projection } = await open();
    projection.put(upTo(101));
    disk.full = true;
    await assert.rejects(projection.store(upTo(101).map(event), 'refuse'));
    disk.full = false;
    await projection.store(upTo(101).map(event), 'refuse');
    const types = disk.events.map((line) => line.includes('monitor.snapshot'));
    assert.deepEqual(types, [...upTo(101).map(() => false), true]);
  });
});

describe('a projection with snapshots in the table', () => {
  test('reads only what came after the newest one', async () => {
    const { open } = harness(TABLE);
    const { projection } = await open();
    for (const value of upTo(250)) await projection.change(() => [event(value)]);
    const next = await open();
    assert.deepEqual([next.projection.state, next.read()], [upTo(250), 50]);
  });

  test('works without a snapshot that found no room', async () => {
    const { disk, open } = harness(TABLE);
    const { projection } = await open();
    await projection.change(() => upTo(300).map(event));
    disk.snapshots.clear();
    disk.full = true;
    assert.deepEqual((await open()).projection.state, upTo(300));
  });
});

test('a projection of all streams catches up with what other writers have committed', async () => {
  const { disk, stored, clock, open } = harness(ALL_STREAMS);
  const { projection } = await open();
  await stored.append('elsewhere', 0, [event(4), event(5)], clock.now());
  assert.deepEqual(await projection.catchUp(), [4, 5]);
  await stored.append('elsewhere', 2, upTo(3000).map(event), clock.now());
  assert.equal((await projection.catchUp()).length, 3002);
  disk.snapshots.clear();
  assert.deepEqual((await open()).projection.state, upTo(3000).slice(-2000));
});

test('a projection of the newest events reads only so many of them', async () => {
  const { open } = harness(NEWEST);
  const { projection } = await open();
  await projection.change(() => upTo(1700).map(event));
  assert.deepEqual((await open()).projection.state, upTo(1700).slice(-1500));
});
