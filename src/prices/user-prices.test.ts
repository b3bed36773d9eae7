import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../test/support/temp-dir.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { takeLock } from '../host/files/lock-file.ts';
import type { Clock } from '../base/clock.ts';
import { isRefusal } from '../base/errors.ts';
import type { Price } from './price.ts';
import type { PriceTable } from './shipped-prices.ts';
import type { UserPrices } from './user-prices.ts';
import {
  installPriceTable,
  knownPrices,
  overridingPrices,
  parsePriceTable,
  readUserPrices,
  setOwnPrice,
  userPricesPath,
} from './user-prices.ts';

const table = (date: string, ...rows: readonly [model: string, input: number][]): PriceTable => ({
  date,
  sources: [],
  prices: rows.map(([model, input]) => ({ model, input, output: 9 })),
});
const own = (model: string, input: number) => ({ set: '2026-01-01', model, input, output: 9 });
const shipped = table('2026-06-01', ['a', 1], ['b', 1]);

describe('the price of a model', () => {
  const cases: [why: string, user: UserPrices, prices: string, settings?: readonly Price[]][] = [
    ['is the shipped one', { own: [], table: null }, 'a 1 shipped, b 1 shipped'],
    [
      'is that of the settings, whatever else names it',
      { own: [own('a', 3), own('c', 3)], table: table('2026-07-01', ['a', 2]) },
      'models/a[1m] 4 settings, c 3 own, b 1 shipped',
      [{ model: 'models/a[1m]', input: 4, output: 9 }],
    ],
    [
      'is that of a newer installed table, which may also name new models',
      { own: [], table: table('2026-07-01', ['a', 2], ['c', 2]) },
      'a 2 installed, c 2 installed, b 1 shipped',
    ],
    [
      'is that of the installed table if both have the same date',
      { own: [], table: table('2026-06-01', ['a', 2]) },
      'a 2 installed, b 1 shipped',
    ],
    [
      'is the shipped one if the installed table is older, except for models that only that names',
      { own: [], table: table('2026-05-01', ['a', 2], ['c', 2]) },
      'a 1 shipped, b 1 shipped, c 2 installed',
    ],
    [
      'is what the user has set, however old that is',
      { own: [own('a', 3)], table: table('2026-07-01', ['a', 2]) },
      'a 3 own, b 1 shipped',
    ],
  ];
  for (const [why, user, prices, settings = []] of cases)
    test(why, () => {
      const known = knownPrices(user, { settings, shipped });
      const words = known.map(
        ({ price, origin }) => `${price.model} ${price.input} ${origin.kind}`,
      );
      assert.equal(words.join(', '), prices);
    });
});

describe('the file of the user', () => {
  test('is absent at first', async () => {
    await using home = await tempDir();
    assert.deepEqual(await readUserPrices(home.path), { own: [], table: null });
    assert.deepEqual(await overridingPrices(home.path), []);
  });

  test('keeps what is in it when a price is set, removed or installed', async () => {
    await using home = await tempDir();
    const row = { set: '2026-11-17', model: 'house', input: 1, output: 2, cache_write: 3 };
    await setOwnPrice({ home: home.path, clock: systemClock }, 'house', row);
    await setOwnPrice({ home: home.path, clock: systemClock }, 'other', { ...row, model: 'other' });
    await installPriceTable(
      { home: home.path, clock: systemClock },
      {
        date: '2999-01-01',
        sources: ['https://example.com'],
        prices: [{ model: 'next', input: 1, output: 2, note: 'a note' }],
      },
    );
    await setOwnPrice({ home: home.path, clock: systemClock }, 'house', { ...row, input: 5 });
    await setOwnPrice({ home: home.path, clock: systemClock }, 'other', null);
    assert.deepEqual(await overridingPrices(home.path), [
      { model: 'house', input: 5, output: 2, cacheWrite: 3 },
      { model: 'next', input: 1, output: 2 },
    ]);
    assert.match(await readFile(userPricesPath(home.path), 'utf8'), /a note/);
    await installPriceTable({ home: home.path, clock: systemClock }, null);
    assert.equal((await readUserPrices(home.path)).table, null);
  });

  test('is refused with line and column if it is wrong, and is not overwritten', async () => {
    await using home = await tempDir();
    const text = '{"own": [\n  {"set": "2026-11-17", "model": "x", "input": -1, "output": 2}]}';
    await writeFile(userPricesPath(home.path), text);
    const refused = { name: 'Refusal', message: /prices\.json:2:\d+: own\[0\]\.input: expected a/ };
    await assert.rejects(readUserPrices(home.path), refused);
    await assert.rejects(setOwnPrice({ home: home.path, clock: systemClock }, 'y', null), refused);
    assert.equal(await readFile(userPricesPath(home.path), 'utf8'), text);
  });

  const unreadable: [why: string, make: (file: string) => unknown, reason: RegExp][] = [
    ['a folder', (file) => mkdir(file), /not a plain file/],
    ['a pipe', (file) => execFileSync('mkfifo', [file]), /not a plain file/],
    ['too large', (file) => writeFile(file, ' '.repeat(2_000_000)), /larger than \d+ bytes/],
  ];
  for (const [why, make, reason] of unreadable)
    test(`is refused if it can't be read: ${why}`, async () => {
      await using home = await tempDir();
      await make(userPricesPath(home.path));
      const place = { home: home.path, clock: systemClock };
      const isIt = (error: unknown): boolean =>
        isRefusal(error, 'config.unreadable') && reason.test(error.message);
      await assert.rejects(overridingPrices(home.path), isIt);
      await assert.rejects(setOwnPrice(place, 'house', null), isIt);
    });

  test('loses no price when many are set at the same moment', async () => {
    await using home = await tempDir();
    const place = { home: home.path, clock: systemClock };
    const models = Array.from({ length: 8 }, (_, number) => `house-${number}`);
    await Promise.all(models.map((model) => setOwnPrice(place, model, own(model, 1))));
    const set = (await readUserPrices(home.path)).own.map(({ model }) => model);
    assert.deepEqual(set.toSorted(), models);
    assert.deepEqual((await readdir(home.path)).toSorted(), ['prices.json', 'prices.lock']);
  });

  test('is not changed while another process changes it for long', async () => {
    await using home = await tempDir();
    const lock = await takeLock(join(home.path, 'prices.lock'), {
      clock: systemClock,
      purpose: 'a test',
    });
    assert.equal(lock.kind, 'taken');
    const hurried: Clock = {
      now: () => systemClock.now(),
      elapsedMs: () => 0,
      sleepUntil: async () => true,
      sleep: async () => true,
      nextTurn: async () => {},
    };
    const setting = setOwnPrice({ home: home.path, clock: hurried }, 'house', own('house', 1));
    await assert.rejects(setting, { name: 'Refusal', message: /being changed in process \d+/ });
    lock.release();
    assert.deepEqual(await readUserPrices(home.path), { own: [], table: null });
  });
});

describe('the date of a new table', () => {
  const now = Date.parse('2026-11-17T23:30:00Z');
  const cases: [why: string, date: string, refused: RegExp | null][] = [
    ['may be today', '2026-11-17', null],
    ['may be a day ahead', '2026-11-18', null],
    ['may not be later', '2026-11-19', /t\.json:1:\d+: date: expected a date up to 2026-11-18/],
    ['may not be far in the future', '9999-12-31', /expected a date up to 2026-11-18/],
    ['is a day that exists', '2026-02-30', /date: expected a date such as/],
    ['may be the leap day', '2024-02-29', null],
    ['is not the leap day of another year', '2026-02-29', /date: expected a date such as/],
    ['has a month that exists', '2026-13-01', /date: expected a date such as/],
  ];
  for (const [why, date, refused] of cases)
    test(why, () => {
      const text = JSON.stringify({ date, sources: [], prices: [] });
      const parse = (): string => parsePriceTable(text, 't.json', now).table.date;
      if (refused === null) assert.equal(parse(), date);
      else assert.throws(parse, { name: 'Refusal', message: refused });
    });
});
