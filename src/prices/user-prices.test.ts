import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { tempDir } from '../../test/support/temp-dir.ts';
import type { PriceTable } from './shipped-prices.ts';
import type { UserPrices } from './user-prices.ts';
import {
  installPriceTable,
  knownPrices,
  overridingPrices,
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
  const cases: [why: string, user: UserPrices, prices: string][] = [
    ['is the shipped one', { own: [], table: null }, 'a 1 shipped, b 1 shipped'],
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
  for (const [why, user, prices] of cases)
    test(why, () => {
      const known = knownPrices(user, shipped);
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
    await setOwnPrice(home.path, 'house', row);
    await setOwnPrice(home.path, 'other', { ...row, model: 'other' });
    await installPriceTable(home.path, {
      date: '2999-01-01',
      sources: ['https://example.com'],
      prices: [{ model: 'next', input: 1, output: 2, note: 'a note' }],
    });
    await setOwnPrice(home.path, 'house', { ...row, input: 5 });
    await setOwnPrice(home.path, 'other', null);
    assert.deepEqual(await overridingPrices(home.path), [
      { model: 'house', input: 5, output: 2, cacheWrite: 3 },
      { model: 'next', input: 1, output: 2 },
    ]);
    assert.match(await readFile(userPricesPath(home.path), 'utf8'), /a note/);
    await installPriceTable(home.path, null);
    assert.equal((await readUserPrices(home.path)).table, null);
  });

  test('is refused with line and column if it is wrong, and is not overwritten', async () => {
    await using home = await tempDir();
    const text = '{"own": [\n  {"set": "2026-11-17", "model": "x", "input": -1, "output": 2}]}';
    await writeFile(userPricesPath(home.path), text);
    const refused = { name: 'Refusal', message: /prices\.json:2:\d+: own\[0\]\.input: expected a/ };
    await assert.rejects(readUserPrices(home.path), refused);
    await assert.rejects(setOwnPrice(home.path, 'y', null), refused);
    assert.equal(await readFile(userPricesPath(home.path), 'utf8'), text);
  });
});
