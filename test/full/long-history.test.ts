/** A run of a million facts is resumed from its snapshot, on SQLite. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { attemptsProgram } from '../../src/attempts/attempts-program.ts';
import { at } from '../../src/base/clock.ts';
import { seededRandom } from '../../src/base/random.ts';
import { EmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import { loadRun } from '../../src/engine/embedded/load-run.ts';
import { runStream } from '../../src/protocol/streams.ts';
import { SqliteJournal } from '../../src/store/sqlite/sqlite-journal.ts';
import { countingJournal } from '../support/counting-journal.ts';
import { writeLongHistory } from '../support/long-history.ts';
import { ManualClock, settle } from '../../src/testing/fakes/manual-clock.ts';
import { tempDir } from '../support/temp-dir.ts';

const EVENTS = 1_000_000;
const SNAPSHOT_EVERY = 2000;
const RUN = '0000000001';

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(3);
}

test('a history of a million facts resumes by snapshot', async (t) => {
  await using folder = await tempDir();
  const path = join(folder.path, 'journal.db');
  const written = SqliteJournal.open(path);
  let since = performance.now();
  const afterSnapshot = SNAPSHOT_EVERY - 1;
  const expected = await writeLongHistory(written, RUN, { events: EVENTS, afterSnapshot });
  await written.close();
  t.diagnostic(`${EVENTS} facts written in ${seconds(since)} s`);

  since = performance.now();
  const { journal, read } = countingJournal(SqliteJournal.open(path));
  const begun: string[] = [];
  const engine = await EmbeddedEngine.open({
    journal,
    clock: new ManualClock(),
    random: seededRandom(1),
    programs: [attemptsProgram],
    performers: [
      {
        command: 'attempt',
        perform: async ({ key }) => {
          begun.push(key);
          return { kind: 'completed', summary: 'at last' };
        },
      },
    ],
    limits: [],
    onDefect: (_run, error) => assert.fail(String(error)),
    snapshotEvery: SNAPSHOT_EVERY,
  });
  t.diagnostic(`taken up in ${seconds(since)} s, having read ${read()} facts`);
  assert.ok(read() <= SNAPSHOT_EVERY);
  await settle();
  assert.deepEqual(begun, [`attempt-${EVENTS / 2 + 1}`]);
  const [view] = await engine.list({ limit: 1 });
  assert.equal(view?.outcome?.kind, 'unverified');
  await engine.close();

  since = performance.now();
  const slowly = await loadRun(
    { ...journal, loadSnapshot: async () => undefined },
    attemptsProgram,
    RUN,
    EVENTS,
  );
  t.diagnostic(`without its snapshot: ${seconds(since)} s`);
  assert.deepEqual(slowly, expected);
  const [last] = await journal.readStream(runStream(RUN), { after: EVENTS, limit: 1 });
  assert.equal(last?.at, at(0));
  await journal.close();
});
