import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '../../base/errors.ts';
import type { NewScheduleEvent } from '../../protocol/event.ts';
import { SCHEDULE_STREAM } from '../../protocol/streams.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { runSchedules } from './schedule-runner.ts';
import { ScheduleStore } from './schedule-store.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.parse('2026-11-18T12:00Z');
const NIGHTLY = {
  type: 'schedule.added',
  payload: {
    ...{ name: 'nightly', cron: '0 2 * * *', timeZone: 'UTC', missed: 'run' as const },
    runRequest: { task: 'x' },
  },
} as const satisfies NewScheduleEvent;

/** A home whose owners come and go. Each run is known by the key that it was submitted with. */
class World {
  readonly disk = new MemoryDisk();
  readonly clock = new ManualClock(NOON);
  readonly runs = new Map<string, string>();
  readonly open = new Set<string>();
  problem: Error | undefined;
  /** Called when a run was submitted, before its fact is written. */
  onSubmitted = (): void => {};
  #journal = new MemoryJournal(this.disk);
  #closing = new AbortController();
  #work: Promise<void> = Promise.resolve();

  async start(): Promise<ScheduleStore> {
    this.#closing = new AbortController();
    this.#journal = new MemoryJournal(this.disk);
    const store = await ScheduleStore.open({ journal: this.#journal, clock: this.clock });
    this.#work = runSchedules(
      {
        ...{ clock: this.clock, store },
        findRun: async (key) => this.runs.get(key),
        isOpen: async (run) => this.open.has(run),
        submit: async (_, { key }) => {
          if (this.problem !== undefined) throw this.problem;
          assert.ok(!this.runs.has(key), 'a run is submitted twice');
          const run = `run-${this.runs.size + 1}`;
          this.runs.set(key, run);
          this.onSubmitted();
          return run;
        },
      },
      this.#closing.signal,
    );
    this.#work.catch(() => undefined); // `end` reports it
    await this.clock.advance(0);
    return store;
  }

  async end(): Promise<void> {
    this.#closing.abort();
    await this.#work;
  }

  abort(): void {
    this.#closing.abort();
  }

  /** What happened: `started 02:00 run-1`. */
  async facts(): Promise<readonly string[]> {
    const page = { after: 0, limit: 100 };
    const events = await this.#journal.readStream(SCHEDULE_STREAM, page);
    return events.flatMap(({ type, payload }) => {
      if (!('due' in payload)) return [];
      const more = Object.entries(payload).filter(([key]) => key !== 'name' && key !== 'due');
      const when = new Date(payload.due).toISOString().slice(8, 16);
      return [[type.split('.')[1], when, ...more.map(([, value]) => String(value))].join(' ')];
    });
  }
}

describe('the clock of the schedules', () => {
  test('submits a run each time that one is due, one after the other', async () => {
    const world = new World();
    const store = await world.start();
    await store.change(() => [NIGHTLY]);
    await world.clock.advance(13 * HOUR_MS);
    assert.deepEqual(await world.facts(), []);
    await world.clock.advance(25 * HOUR_MS);
    await world.end();
    assert.deepEqual(await world.facts(), [
      'begun 19T02:00',
      'started 19T02:00 run-1',
      'begun 20T02:00',
      'started 20T02:00 run-2',
    ]);
  });

  test('starts one run for all times that were missed while no owner was there', async () => {
    const world = new World();
    const store = await world.start();
    await store.change(() => [NIGHTLY]);
    await world.end();
    await world.clock.advance(80 * HOUR_MS);
    await world.start();
    await world.end();
    assert.deepEqual(await world.facts(), ['begun 21T02:00', 'started 21T02:00 run-1']);
  });

  test('skips a time while the run of the last one works', async () => {
    const world = new World();
    const store = await world.start();
    await store.change(() => [NIGHTLY]);
    world.open.add('run-1');
    await world.clock.advance(38 * HOUR_MS);
    await world.end();
    assert.deepEqual((await world.facts()).slice(2), ['skipped 20T02:00 still-running']);
  });

  test('records why no run could be submitted, and continues', async () => {
    const world = new World();
    const store = await world.start();
    await store.change(() => [NIGHTLY]);
    world.problem = new Error('the disk\nis gone');
    await world.clock.advance(14 * HOUR_MS);
    world.problem = undefined;
    await world.clock.advance(24 * HOUR_MS);
    await world.end();
    assert.deepEqual(await world.facts(), [
      'begun 19T02:00',
      'refused 19T02:00 Error: the disk is gone',
      'begun 20T02:00',
      'started 20T02:00 run-1',
    ]);
  });

  test('finds the run of an owner that died between its submission and the fact', async () => {
    const world = new World();
    const store = await world.start();
    await store.change(() => [NIGHTLY]);
    world.onSubmitted = () => {
      world.onSubmitted = () => {};
      world.abort();
      throw new Error('killed');
    };
    await world.clock.advance(14 * HOUR_MS);
    await world.end();
    assert.deepEqual(await world.facts(), ['begun 19T02:00']);
    await world.start();
    await world.end();
    assert.deepEqual(await world.facts(), ['begun 19T02:00', 'started 19T02:00 run-1']);
  });

  test('leaves a time to its next start if the engine is not there', async () => {
    const world = new World();
    const store = await world.start();
    await store.change(() => [NIGHTLY]);
    world.problem = new Refusal({ code: 'owner.closing', message: 'The engine is unavailable.' });
    await world.clock.advance(14 * HOUR_MS);
    await assert.rejects(world.end(), /unavailable/);
    world.problem = undefined;
    await world.start();
    await world.end();
    assert.deepEqual((await world.facts()).at(-1), 'started 19T02:00 run-1');
  });

  test('ends its wait when a schedule is added or removed', async () => {
    const world = new World();
    const store = await world.start();
    const added = (name: string, cron: string): NewScheduleEvent => ({
      ...NIGHTLY,
      payload: { ...NIGHTLY.payload, name, cron },
    });
    await store.change(() => [added('late', '0 23 * * *')]);
    await world.clock.advance(0);
    await store.change(() => [added('early', '0 13 * * *')]);
    await world.clock.advance(HOUR_MS);
    await store.change(() => [{ type: 'schedule.removed', payload: { name: 'late' } }]);
    await world.clock.advance(12 * HOUR_MS);
    await world.end();
    assert.deepEqual(await world.facts(), ['begun 18T13:00', 'started 18T13:00 run-1']);
  });
});
