import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BREAKER_WITHIN_MS } from '../protocol/breaker.ts';
import { BREAKER_STREAM, runStream } from '../protocol/streams.ts';
import { MemoryDisk } from '../store/memory/memory-disk.ts';
import { MemoryJournal } from '../store/memory/memory-journal.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { submitted } from '../testing/conformance/journal-events.ts';
import { BreakerStore } from './breaker-store.ts';

const STEP = { project: '/app', workflow: 'small', step: 'implement' };
const ended = { type: 'run.ended', payload: { outcome: { kind: 'failed', reason: 'x' } } } as const;

class World {
  readonly disk = new MemoryDisk();
  journal = new MemoryJournal(this.disk);
  readonly clock = new ManualClock(1_000_000);

  /** As the next owner opens it. */
  open(): Promise<BreakerStore> {
    this.journal = new MemoryJournal(this.disk);
    return BreakerStore.open({ journal: this.journal, clock: this.clock });
  }

  async fail(store: BreakerStore, run: string, child: string | null, visit = 1): Promise<string> {
    const input = { ...STEP, result: 'failed', child, visit, reason: 'no\nJSON' } as const;
    return (await store.update(run, input)).state;
  }

  facts(): Promise<number> {
    return this.journal.lastSeq(BREAKER_STREAM);
  }
}

const visit = { run: 'r9', isForced: false };

describe('the store of circuit breakers', () => {
  test('counts failures of several runs, and the next owner knows them', async () => {
    const world = new World();
    const first = await world.open();
    for (const run of ['r1', 'r2', 'r3']) await world.fail(first, run, `child of ${run}`);
    const second = await world.open();
    assert.equal(await world.fail(second, 'r4', 'child of r4'), 'closed');
    assert.equal(await world.fail(second, 'r5', 'child of r5'), 'open');
    const third = await world.open();
    assert.equal((await third.admit(STEP, visit)).kind, 'open');
    assert.deepEqual(
      third.list().map(({ state, failures, reason }) => [state, failures, reason]),
      [['open', 5, 'no JSON']],
    );
  });

  test('counts a failure once, however often it is reported', async () => {
    const world = new World();
    const store = await world.open();
    for (const _ of [1, 2, 3]) await world.fail(store, 'r1', 'child');
    await world.fail(await world.open(), 'r1', 'child');
    // Without a run of the step, the visit names it.
    for (const nth of [1, 1, 2]) await world.fail(await world.open(), 'r1', null, nth);
    assert.equal(await world.facts(), 3);
  });

  test('lets one run try the step after five minutes, which is on record before the run begins', async () => {
    const world = new World();
    const store = await world.open();
    for (const nth of [1, 2, 3, 4, 5]) await world.fail(store, 'r1', `child ${nth}`);
    await world.clock.advance(BREAKER_WITHIN_MS);
    for (const run of ['r8', 'r9'])
      await world.journal.append(runStream(run), 0, [submitted()], world.clock.now());
    const admissions = await Promise.all(
      ['r9', 'r8'].map((run) => store.admit(STEP, { ...visit, run })),
    );
    assert.deepEqual(
      admissions.map(({ kind }) => kind),
      ['pass', 'open'],
    );
    const next = await world.open();
    assert.equal((await next.admit(STEP, visit)).kind, 'pass', 'the same run after a crash');
    assert.equal((await next.admit(STEP, { ...visit, run: 'r8' })).kind, 'open');
    // That run ended without a result, so another one may try it.
    await world.journal.append(runStream('r9'), 1, [ended], world.clock.now());
    assert.equal((await next.admit(STEP, { ...visit, run: 'r8' })).kind, 'pass');
    const passed = { ...STEP, result: 'passed', child: 'c', visit: 1, reason: '' } as const;
    assert.deepEqual(await next.update('r8', passed), { state: 'closed', failures: 0 });
    assert.deepEqual(next.list(), []);
  });

  test('is reset by a person, who names the step', async () => {
    const world = new World();
    const store = await world.open();
    for (const nth of [1, 2, 3, 4, 5]) await world.fail(store, 'r1', `child ${nth}`);
    assert.deepEqual(await store.reset(({ step }) => step === 'other'), []);
    const [closed] = await store.reset(({ step }) => step === 'implement');
    assert.equal(closed?.state, 'open');
    assert.equal((await (await world.open()).admit(STEP, visit)).kind, 'pass');
  });

  test('writes nothing if a step passes that never failed', async () => {
    const world = new World();
    const store = await world.open();
    await store.update('r1', { ...STEP, result: 'passed', child: 'c', visit: 1, reason: '' });
    await store.admit(STEP, visit);
    assert.equal(await world.facts(), 0);
  });
});
