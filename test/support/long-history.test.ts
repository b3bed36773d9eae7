import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptsProgram } from '../../src/attempts/attempts-program.ts';
import { seededRandom } from '../../src/base/random.ts';
import { EmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import { loadRun } from '../../src/engine/embedded/load-run.ts';
import { MemoryDisk } from '../../src/store/memory/memory-disk.ts';
import { MemoryJournal } from '../../src/store/memory/memory-journal.ts';
import { countingJournal } from './counting-journal.ts';
import { writeLongHistory } from './long-history.ts';
import { ManualClock, settle } from '../../src/testing/fakes/manual-clock.ts';

const RUN = '0000000001';
const SNAPSHOT_EVERY = 2000;

test('a history of 20,000 facts is resumed from its last snapshot', async () => {
  const disk = new MemoryDisk();
  const expected = await writeLongHistory(new MemoryJournal(disk), RUN, {
    events: 20_000,
    afterSnapshot: SNAPSHOT_EVERY - 1,
  });
  const { journal, read } = countingJournal(new MemoryJournal(disk));
  assert.deepEqual(await loadRun(journal, attemptsProgram, RUN), expected);
  const engine = await EmbeddedEngine.open({
    journal,
    clock: new ManualClock(),
    random: seededRandom(1),
    programs: [attemptsProgram],
    performers: [],
    limits: [],
    onDefect: (_run, error) => assert.fail(String(error)),
    snapshotEvery: SNAPSHOT_EVERY,
  });
  assert.equal(read(), 2 * (SNAPSHOT_EVERY - 1));
  await settle();
  assert.deepEqual(
    (await journal.runs({ limit: 1 })).map(({ begun }) => begun),
    [10_002], // one more attempt, and its finalize
  );
  assert.deepEqual(expected.ledger.known, { attempt: [[1, 10_000]] });
  await engine.close();
});
