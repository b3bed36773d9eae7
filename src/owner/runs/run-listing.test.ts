import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import { ended, submitted } from '../../../test/support/run-history-fixture.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import { at } from '../../base/clock.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { runStream } from '../../protocol/streams.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { NO_APPLIES } from '../applies/fold-applies.ts';
import { RunListing, viewNow } from './run-listing.ts';

function listingOf(journal: MemoryJournal): RunListing {
  return new RunListing({
    journal,
    engine: { list: (filter) => journal.runs(filter), holdOf: () => undefined },
    agents: { list: () => [] },
    clock: new ManualClock(),
    applies: { read: async () => NO_APPLIES, check: async () => null },
    preparations: { describe: () => null },
    messages: { list: async () => [] },
  });
}

const [FAILED, ACTIVE, DONE, CONTINUED] = [
  'a'.repeat(10),
  'b'.repeat(10),
  'c'.repeat(10),
  'd'.repeat(10),
];

/** The first fact of a run that continues another one. */
function fork(from: string): NewRunEvent {
  const { payload } = submitted();
  return runEvent({ type: 'run.forked', payload: { from, seq: 2, submission: payload } });
}

describe('all runs, page by page', () => {
  const pagesOf = async (pageMax: number, endedMax: number): Promise<readonly string[][]> => {
    const journal = new MemoryJournal();
    const write = (run: string, ...facts: readonly NewRunEvent[]): Promise<unknown> =>
      journal.append(runStream(run), 0, facts, at(0));
    await write(FAILED, submitted(), ended('failed', 'gate test'));
    await write(ACTIVE, submitted());
    await write(DONE, submitted(), ended('succeeded', 'done'));
    await write(CONTINUED, fork(FAILED), ended('succeeded', 'done'));
    const pages: string[][] = [];
    for await (const rows of listingOf(journal).pages(pageMax, endedMax))
      pages.push(
        rows.map(
          ({ view, resumedAs }) =>
            `${view.id[0]}${resumedAs === undefined ? '' : `>${resumedAs[0]}`}`,
        ),
      );
    return pages;
  };

  test('begin with those that have not ended, and know what a later page continued', async () => {
    assert.deepEqual(await pagesOf(1, 9), [['b'], ['d'], ['c'], ['a>d']]);
    assert.deepEqual(await pagesOf(2, 9), [['b'], ['d', 'c'], ['a>d']]);
  });

  test('end with the last of the ended runs that are wanted', async () => {
    assert.deepEqual(await pagesOf(2, 3), [['b'], ['d', 'c'], ['a>d']]);
    assert.deepEqual(await pagesOf(2, 2), [['b'], ['d', 'c']]);
    assert.deepEqual(await pagesOf(3, 1), [['b'], ['d']]);
  });
});

test('a question of a step is found behind any number of newer runs', async () => {
  const workflow = runViewFixture({ id: 'flow', program: 'workflow', children: 1 });
  const open = [{ key: 'ask-1', command: 'ask' as const, begunAt: 5, question: 'Which port?' }];
  const step = runViewFixture({ id: 'step', parent: 'flow', open });
  const newer = Array.from({ length: 2000 }, (_, nth) => runViewFixture({ id: `newer ${nth}` }));
  const runs = [...newer, step, workflow];
  const engine = {
    list: async ({ limit = 0 }: { limit?: number }) => runs.slice(0, limit),
    holdOf: () => undefined,
  };
  const { asksBelow } = await viewNow(engine, workflow, 0);
  assert.deepEqual(
    asksBelow?.map(({ run }) => run),
    ['step'],
  );
});
