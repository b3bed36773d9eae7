/** The journal's process dies by SIGKILL: at every statement in turn, and at any time. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { randomInt, seededRandom } from '../../src/base/random.ts';
import { SqliteJournal } from '../../src/store/sqlite/sqlite-journal.ts';
import { temporaryFolder } from '../support/journal-files.ts';
import { runUntilDeath } from './run-until-death.ts';
import { WHOLE, playSeries } from './series.ts';
import { assertBeginning, inspect, read, uninterrupted } from './soundness.ts';

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 15);
const SEED = Number(process.env['CRASH_SEED'] ?? 1);

describe('a killed process', () => {
  test('case 56: at its k-th statement, for every k, loses nothing acknowledged and can be resumed', async (t) => {
    const whole = await uninterrupted();
    let k = 1;
    for (; ; k += 1) {
      using folder = temporaryFolder();
      const path = join(folder.path, 'journal.db');
      const { signal, acknowledged } = await runUntilDeath('dies-at-statement.ts', [
        path,
        String(k),
      ]);
      const found = await inspect(path, (journal) => playSeries(journal, () => undefined));
      assertBeginning(found, whole, acknowledged.at(-1) ?? 0);
      assert.deepEqual(await inspect(path), whole);
      if (signal === null) break;
    }
    t.diagnostic(`N = ${k - 1} statements, killed after each`);
    assert.ok(k > 20, `only ${k - 1} statements: the child does not die where it should`);
  });

  test(`case 56: at any time, ${ROUNDS} times over one file, loses nothing acknowledged`, async (t) => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'journal.db');
    const random = seededRandom(SEED);
    let [acknowledgedInAll, there] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { acknowledged } = await runUntilDeath('writes-flat-out.ts', [path], {
        killAfter: randomInt(random, 1, 60),
      });
      const { events } = await inspect(path);
      acknowledgedInAll += acknowledged.length;
      there = events.length;
      const last = acknowledged.at(-1) ?? 0;
      assert.ok(there >= last, `${last} was acknowledged and only ${there} are there`);
      assert.deepEqual(
        events.map(({ id }) => id),
        Array.from(events, (_, index) => index + 1),
      );
      const perStream = Map.groupBy(events, ({ stream }) => stream);
      for (const [stream, own] of perStream)
        assert.equal(own.length % 3, 0, `a torn batch in ${stream}`);
    }
    t.diagnostic(
      `seed ${SEED}: ${ROUNDS} kills, ${acknowledgedInAll} batches acknowledged, ${there} events there, 0 lost`,
    );
  });
});

test('one process reads back exactly what another left', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'journal.db');
  const { signal, acknowledged } = await runUntilDeath('dies-at-statement.ts', [path, '0']);
  assert.deepEqual([signal, acknowledged], [null, WHOLE.slice(1)]);
  const journal = SqliteJournal.open(path);
  assert.deepEqual(await read(journal), await uninterrupted());
  await journal.close();
});
