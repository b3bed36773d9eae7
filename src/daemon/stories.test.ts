import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../base/clock.ts';
import { runStream } from '../protocol/event.ts';
import type { RunView } from '../protocol/run-view.ts';
import type { RunFilter } from '../store/journal.ts';
import { MemoryJournal } from '../store/memory/memory-journal.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { attempt, ended, submitted } from '../testing/told-run.ts';
import { Stories } from './stories.ts';

const RUN = 'a000000000';

/** A journal in which the run ends right after the runs that go on, or those that have ended, were read. */
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
    const stories = new Stories({
      journal: () => journal,
      clock: new ManualClock(),
      view: () => assert.fail('a report needs no view'),
      artifacts: { paths: () => assert.fail('a report needs no artifacts') },
    });
    const { done, going, attempts } = await stories.report(0);
    assert.deepEqual([done.map(({ run }) => run), going, attempts], [[RUN], [], 1]);
  });
