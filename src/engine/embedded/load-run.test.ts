import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { at } from '../../base/clock.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { fakeProgram, fakeSubmission } from '../../testing/fakes/fake-program.ts';
import type { LoadedRun } from './load-run.ts';
import { loadRun, snapshotMaker } from './load-run.ts';
import { runEvent } from '../../../test/support/run-event.ts';

const RUN = '0000000001';

async function write(
  journal: Journal,
  run: string,
  first: NewRunEvent,
  events: readonly NewRunEvent[],
): Promise<void> {
  await journal.append(runStream(run), 0, [first], at(0));
  for (const [index, event] of events.entries())
    await journal.append(runStream(run), index + 1, [event], at(index));
}

async function load(journal: Journal, run: string, upTo?: number): Promise<LoadedRun | undefined> {
  return loadRun(journal, fakeProgram, run, upTo);
}

async function snapshot(
  journal: Journal,
  run: string,
  { state, ledger, seq }: LoadedRun,
): Promise<void> {
  const kept = JSON.parse(JSON.stringify({ state, ledger }));
  await journal.saveSnapshot(runStream(run), {
    maker: snapshotMaker(fakeProgram),
    seq,
    state: kept,
  });
}

function submitted(submission: Submission): NewRunEvent {
  return { type: 'run.submitted', payload: submission };
}

function forked(from: string, seq: number): NewRunEvent {
  return { type: 'run.forked', payload: { from, seq, submission } };
}

const submission = fakeSubmission([{ perform: 'a' }, { perform: 'b' }], [{ perform: 'c' }]);

const fact: fc.Arbitrary<NewRunEvent> = fc.oneof(
  fc.nat(5).map((n): NewRunEvent =>
    runEvent({
      type: 'command.begun',
      payload: { key: `s0/${n}-1`, command: 'dance', input: {}, limits: [] },
    }),
  ),
  fc.tuple(fc.nat(5), fc.boolean()).map(([n, lost]): NewRunEvent => {
    const end = lost ? ({ kind: 'interrupted' } as const) : ({ kind: 'done', result: {} } as const);
    return runEvent({ type: 'command.ended', payload: { key: `s0/${n}-1`, end } });
  }),
  fc.constantFrom<NewRunEvent>(
    { type: 'signal.received', payload: { signal: { kind: 'stop' } } },
    { type: 'command.cancelled', payload: { key: 's0/1-1', how: 'ask' } },
    runEvent({ type: 'command.noted', payload: { key: 's0/1-1', note: {} } }),
  ),
);

describe('reading a run back', () => {
  test('a run that does not exist is undefined', async () => {
    assert.equal(await load(new MemoryJournal(), RUN), undefined);
  });

  test('a snapshot at any position gives the same state, for any prefix', async () => {
    const property = fc.asyncProperty(
      fc.array(fact, { maxLength: 20 }),
      fc.nat(),
      fc.nat(),
      async (facts, place, cut) => {
        const journal = new MemoryJournal();
        await write(journal, RUN, submitted(submission), facts);
        const upTo = 1 + (cut % (facts.length + 1));
        const whole = await load(journal, RUN);
        const prefix = await load(journal, RUN, upTo);
        assert.deepEqual([whole?.seq, prefix?.seq], [facts.length + 1, upTo]);
        const early = await load(journal, RUN, 1 + (place % (facts.length + 1)));
        assert.ok(early !== undefined);
        await snapshot(journal, RUN, early);
        assert.deepEqual(await load(journal, RUN), whole);
        assert.deepEqual(await load(journal, RUN, upTo), prefix);
      },
    );
    await fc.assert(property, { numRuns: 50 });
  });

  test('a fork, and a fork of a fork, fold the facts of the runs before them', async () => {
    const property = fc.asyncProperty(
      fc.array(fact, { minLength: 2, maxLength: 8 }),
      fc.array(fact, { minLength: 2, maxLength: 8 }),
      fc.array(fact, { maxLength: 8 }),
      async (first, second, third) => {
        const journal = new MemoryJournal();
        await write(journal, 'a', submitted(submission), first);
        await write(journal, 'b', forked('a', 2), second);
        await write(journal, 'c', forked('b', 3), third);
        // The same facts in one stream: one of a, then two of b, then all of c.
        const flat = [...first.slice(0, 1), ...second.slice(0, 2), ...third];
        await write(journal, 'flat', submitted(submission), flat);
        const expected = await load(journal, 'flat');
        const actual = await load(journal, 'c');
        assert.deepEqual(actual?.ledger, expected?.ledger);
        assert.equal(actual?.seq, third.length + 1);
      },
    );
    await fc.assert(property, { numRuns: 50 });
  });

  test('a fork of a missing run is a defect, and so is a circle of forks', async () => {
    const journal = new MemoryJournal();
    await write(journal, 'orphan', forked('nobody', 1), []);
    await write(journal, 'round', forked('round', 1), []);
    await assert.rejects(load(journal, 'orphan'), /does not exist/);
    await assert.rejects(load(journal, 'round'), RangeError);
  });

  test('a snapshot by another version of the program is not read', async () => {
    const journal = new MemoryJournal();
    await write(journal, RUN, submitted(submission), []);
    const folded = await load(journal, RUN);
    const other = { ...fakeProgram, version: fakeProgram.version + 1 };
    const state = { state: { from: 'the future' }, ledger: {} };
    await journal.saveSnapshot(runStream(RUN), { maker: snapshotMaker(other), seq: 1, state });
    assert.deepEqual(await load(journal, RUN), folded);
  });
});
