import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import { runStream } from '../../protocol/streams.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { fakeProgram, fakeSubmission } from '../../testing/fakes/fake-program.ts';
import { notes } from '../../../test/support/run-history-fixture.ts';
import { EMPTY_LEDGER } from '../ledger.ts';
import { RunRecord } from './run-record.ts';

const RUN = 'a000000000' as RunId;

test('a record reports the number of facts with each snapshot', async () => {
  const [journal, clock] = [new MemoryJournal(), new ManualClock()];
  const submission = fakeSubmission();
  await journal.append(
    runStream(RUN),
    0,
    [{ type: 'run.submitted', payload: submission }],
    clock.now(),
  );
  const grown: unknown[] = [];
  const folded = {
    state: fakeProgram.start(submission),
    ledger: EMPTY_LEDGER,
    seq: 1,
  };
  const record = new RunRecord(RUN, fakeProgram, folded, {
    journal,
    clock,
    snapshotEvery: 4,
    onGrown: (run, seq) => grown.push([run, seq]),
  });
  for (let nth = 0; nth < 8; nth += 1) await record.tryAdd([notes('a-1', { nth })]);
  assert.deepEqual(grown, [
    [RUN, 4],
    [RUN, 8],
  ]);
});
