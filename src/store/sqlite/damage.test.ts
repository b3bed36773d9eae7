import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { randomInt, seededRandom } from '../../base/random.ts';
import { runOfStream, runStream } from '../../protocol/streams.ts';
import {
  begun,
  ended,
  finished,
  noted,
  submitted,
} from '../../testing/conformance/journal-events.ts';
import { temporaryFolder } from '../../../test/support/journal-files.ts';
import { checkJournal } from './check-journal.ts';
import { SqliteJournal } from './sqlite-journal.ts';

const RUNS = Array.from({ length: 12 }, (_, index) => `a0000000${String(index).padStart(2, '0')}`);
const MAKER = 'fold@1';
const PAGE_BYTES = 4096;
const ROUNDS = Number(process.env['ROUNDS'] ?? 40);

/** Large enough for tables and indexes of more than one level, and for values that need their own pages. */
async function fill(path: string): Promise<void> {
  const journal = SqliteJournal.open(path);
  for (const [index, run] of RUNS.entries()) {
    const request = { key: `key-${run}`, digest: 'd' };
    const first = submitted('/project', `task of ${run}`);
    await journal.append(
      runStream(run),
      0,
      [{ ...first, payload: { ...first.payload, request } } as typeof first],
      at(index),
    );
    for (let turn = 0; turn < 25; turn += 1) {
      const key = `attempt-${turn}`;
      const note = noted(key, turn % 10 === 0 ? `${run} `.repeat(900) : `said ${turn} by ${run}`);
      const last = 1 + turn * 3;
      await journal.append(runStream(run), last, [begun(key), note, ended(key)], at(last));
    }
    await journal.saveSnapshot(runStream(run), { maker: MAKER, seq: 40, state: { of: run } });
    if (index % 2 === 0) await journal.append(runStream(run), 76, [finished()], at(99));
  }
  await journal.close();
}

/** Each query with its answer. A refusal is represented by its code. */
async function answers(journal: SqliteJournal): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const ask = async (name: string, question: () => Promise<unknown>): Promise<void> => {
    try {
      found[name] = await question();
    } catch (error) {
      if (!isNoticed(error)) throw error;
      found[name] = error.data.code;
    }
  };
  await ask('all', () => journal.readAll({ after: 0, limit: 10_000 }));
  await ask('last id', () => journal.lastId());
  await ask('going on', () => journal.runs({ ended: false, limit: 100 }));
  await ask('ended', () => journal.runs({ ended: true, limit: 100 }));
  await ask('of the program', () => journal.runs({ program: 'test', limit: 100 }));
  for (const run of RUNS) {
    await ask(`run ${run}`, () => journal.run(run));
    await ask(`facts ${run}`, () => journal.readStream(runStream(run), { after: 0, limit: 1000 }));
    await ask(`last ${run}`, () => journal.lastSeq(runStream(run)));
    await ask(`request ${run}`, () => journal.findRequest(`key-${run}`));
    await ask(`snapshot ${run}`, () => journal.loadSnapshot(runStream(run), MAKER));
  }
  return found;
}

function isNoticed(error: unknown): error is Error & { data: { code: string } } {
  return isRefusal(error, 'store.damaged') || isRefusal(error, 'store.unknown-version');
}

/** The answers that changed without any report of damage. */
function findSilentErrors(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  damaged: ReadonlySet<string>,
): readonly string[] {
  const isReported = (name: string): boolean => {
    const now = after[name];
    if (typeof now === 'string') return true; // refused
    if (name.startsWith('snapshot')) return now === undefined; // a cache that is not used
    // Left out of a list, and reported as damaged.
    if (!Array.isArray(now)) return false;
    const kept = (before[name] as { readonly id: string }[]).filter(({ id }) => !damaged.has(id));
    return same(now, kept);
  };
  return Object.keys(before).filter(
    (name) => !same(after[name], before[name]) && !isReported(name),
  );
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

const damages: [why: string, damage: (bytes: Buffer, random: Random) => void][] = [
  [
    '2,000 random bytes in the middle',
    (bytes, random) => {
      const from = randomInt(random, 100, bytes.length - 2000);
      for (let index = 0; index < 2000; index += 1) bytes[from + index] = randomInt(random, 0, 255);
    },
  ],
  [
    'a page of zeros',
    (bytes, random) => {
      const page = randomInt(random, 1, bytes.length / PAGE_BYTES - 1);
      bytes.fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
    },
  ],
  [
    'a page overwritten by another',
    (bytes, random) => {
      const draw = (): number => randomInt(random, 1, bytes.length / PAGE_BYTES - 1) * PAGE_BYTES;
      const [from, to] = [draw(), draw()];
      bytes.copy(bytes, to, from, from + PAGE_BYTES);
    },
  ],
  [
    'one flipped bit',
    (bytes, random) => {
      const place = randomInt(random, 0, bytes.length - 1);
      bytes[place] = (bytes[place] ?? 0) ^ (1 << randomInt(random, 0, 7));
    },
  ],
  [
    'one flipped bit in the header or the schema',
    (bytes, random) => {
      const place = randomInt(random, 0, PAGE_BYTES - 1);
      bytes[place] = (bytes[place] ?? 0) ^ (1 << randomInt(random, 0, 7));
    },
  ],
];

describe('R12: damage in the journal file is detected, or it is harmless', () => {
  for (const [why, damage] of damages)
    test(why, { timeout: 300_000 }, async (t) => {
      using folder = temporaryFolder();
      const sound = join(folder.path, 'sound.db');
      const path = join(folder.path, 'journal.db');
      await fill(sound);
      const opened = SqliteJournal.open(sound);
      const before = await answers(opened);
      await opened.close();
      const seed = Number(process.env['SEED'] ?? 12);
      const counts = { refused: 0, noticed: 0, harmless: 0 };
      for (let round = 0; round < ROUNDS; round += 1) {
        const bytes = readFileSync(sound);
        damage(bytes, seededRandom(seed + round));
        writeFileSync(path, bytes);
        const where = `${why}: seed ${seed + round}`;
        let journal: SqliteJournal;
        try {
          journal = SqliteJournal.open(path);
        } catch (error) {
          assert.ok(isNoticed(error) && error.message.includes(path), `${where}: ${String(error)}`);
          counts.refused += 1;
          continue;
        } finally {
          rmSync(`${path}.made`, { force: true });
        }
        const after = await answers(journal);
        const damaged = new Set(journal.damages().map(({ stream }) => runOfStream(stream) ?? ''));
        assert.deepEqual(findSilentErrors(before, after, damaged), [], where);
        counts[damaged.size > 0 ? 'noticed' : 'harmless'] += 1;
        await journal.close();
      }
      t.diagnostic(`seed ${seed}: ${JSON.stringify(counts)}`);
    });
});

/** Changes one letter of a run's text in the file. */
function spoil(path: string, text: string): void {
  const bytes = readFileSync(path);
  const place = bytes.indexOf(text);
  assert.ok(place > 0);
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

describe('R12: damage in a fact harms its run alone', () => {
  const [victim = '', other = ''] = RUNS.slice(1);

  test('the damaged run is refused by name, and the other runs are read and written', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'journal.db');
    await fill(path);
    spoil(path, `said 24 by ${victim}`);
    assert.deepEqual(checkJournal(path), {
      kind: 'checked',
      facts: 12 * 76 + 6,
      problems: [],
      runs: [{ run: victim, what: 'fact 75 is damaged' }],
    });
    const journal = SqliteJournal.open(path);
    const open = await journal.runs({ ended: false, limit: 100 });
    assert.deepEqual(
      open.map(({ id }) => id),
      RUNS.filter((run, index) => index % 2 === 1 && run !== victim).toReversed(),
    );
    assert.deepEqual(
      journal.damages().map(({ stream, refusal: { message } }) => [stream, message]),
      [
        [
          runStream(victim),
          `Fact 75 of run ${victim} in ${path} is damaged: its checksum differs.`,
        ],
      ],
    );
    const settled = await Promise.allSettled([
      journal.append(runStream(victim), 76, [begun('one')], at(1)),
      journal.append(runStream(other), 77, [begun('one')], at(1)),
    ]);
    assert.deepEqual(
      settled.map((one) => (one.status === 'fulfilled' ? 'written' : one.reason.data.code)),
      ['store.damaged', 'written'],
    );
    const page = { after: 0, limit: 10_000 };
    await assert.rejects(journal.readAll(page), (error) => isRefusal(error, 'store.damaged'));
    const rest = await journal.readAll({ ...page, skipsDamaged: true });
    assert.equal(rest.length, 12 * 76 + 6);
    await journal.close();
  });

  test('a damaged row of a run is rebuilt from its facts', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'journal.db');
    await fill(path);
    const journal = SqliteJournal.open(path);
    const before = await journal.runs({ limit: 100 });
    await journal.close();
    {
      using stranger = new DatabaseSync(path);
      stranger.exec(`UPDATE runs SET view = json_set(view, '$.begun', 7) WHERE id = '${victim}'`);
    }
    const again = SqliteJournal.open(path);
    assert.deepEqual(await again.runs({ limit: 100 }), before);
    await again.close();
    using repaired = new DatabaseSync(path);
    const row = repaired.prepare(`SELECT view ->> '$.begun' AS begun FROM runs WHERE id = ?`);
    assert.deepEqual({ ...row.get(victim) }, { begun: 25 });
  });

  test('a request key never finds a wrong fact, whichever copy of it is damaged', async () => {
    using folder = temporaryFolder();
    const sound = join(folder.path, 'sound.db');
    const path = join(folder.path, 'journal.db');
    await fill(sound);
    const bytes = readFileSync(sound);
    const key = `key-${victim}`;
    const found: string[] = [];
    for (let place = bytes.indexOf(key); place > 0; place = bytes.indexOf(key, place + 1)) {
      const copy = Buffer.from(bytes);
      copy[place] = (copy[place] ?? 0) ^ 1;
      writeFileSync(path, copy);
      try {
        const journal = SqliteJournal.open(path);
        await assert.rejects(journal.findRequest(key), (error) => isNoticed(error));
        await journal.close();
        found.push('run refused');
      } catch (error) {
        assert.ok(isNoticed(error), String(error));
        found.push('file refused');
      }
    }
    // In the fact, in the column beside it, and in the index.
    assert.deepEqual(found.toSorted(), ['file refused', 'file refused', 'run refused']);
  });
});
