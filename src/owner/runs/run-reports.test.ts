import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../../base/clock.ts';
import { runStream } from '../../protocol/streams.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { RunFilter } from '../../store/journal.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { attempt, ended, submitted } from '../../../test/support/run-history-fixture.ts';
import { RunReports } from './run-reports.ts';

const RUN = 'a000000000';

/** A journal in which the run ends right after the open runs, or the ended runs, were read. */
class EndsMeanwhile extends MemoryJournal {
  readonly #after: 'open' | 'ended';

  constructor(after: 'open' | 'ended') {
    super();
    this.#after = after;
  }

  override async runs(filter: RunFilter): Promise<readonly RunView[]> {
    const found = await super.runs(filter);
    if (filter.ended === (this.#after === 'ended'))
      await this.append(runStream(RUN), 2, [ended('succeeded', 'done')], at(2000));
    return found;
  }
}

for (const after of ['open', 'ended'] as const)
  test(`a run that ends after the ${after} runs were read is reported once, as ended`, async () => {
    const journal = new EndsMeanwhile(after);
    await journal.append(runStream(RUN), 0, [submitted(), attempt(1, 'claude')], at(1000));
    const reports = new RunReports({
      journal: () => journal,
      clock: new ManualClock(),
      view: () => assert.fail('a report needs no view'),
      hold: () => null,
      withBelow: async (views) => views,
      markHeld: (view) => view,
      artifacts: { paths: () => assert.fail('a report needs no artifacts') },
      applied: () => Promise.resolve(null),
      files: () => assert.fail('a report needs no files'),
    });
    const { done, going, attempts } = await reports.report(0);
    assert.deepEqual([done.map(({ run }) => run), going, attempts], [[RUN], [], 1]);
  });

test('R11: an open run is reported even if more than 5,000 runs were submitted after it', async () => {
  const journal = new MemoryJournal();
  const runs = Array.from({ length: 5002 }, (_, index) => index.toString(16).padStart(10, '0'));
  const [oldest = '', ...later] = runs;
  await journal.append(runStream(oldest), 0, [submitted(), attempt(1, 'claude')], at(1000));
  const facts = [submitted(), ended('succeeded', 'done')];
  await Promise.all(later.map((run) => journal.append(runStream(run), 0, facts, at(2000))));
  const reports = new RunReports({
    journal: () => journal,
    clock: new ManualClock(),
    view: () => assert.fail('a report needs no view'),
    hold: () => null,
    withBelow: async (views) => views,
    markHeld: (view) => view,
    artifacts: { paths: () => assert.fail('a report needs no artifacts') },
    applied: () => Promise.resolve(null),
    files: () => assert.fail('a report needs no files'),
  });
  const { going, done, lookedAt } = await reports.report(3000);
  // Ended runs are examined up to the limit, and the report says so.
  assert.deepEqual([going.map(({ run }) => run), done, lookedAt], [[oldest], [], 5000]);
});
