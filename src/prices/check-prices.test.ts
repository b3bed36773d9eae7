import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tempDir } from '../../test/support/temp-dir.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { priceState } from './check-prices.ts';
import { findPrice } from './price.ts';
import { PRICES } from './shipped-prices.ts';
import { knownPrices, readUserPrices, setOwnPrice } from './user-prices.ts';

describe('a price that the user sets under the name of a hint', () => {
  const cases: [why: string, set: string, calls: readonly string[], stored: string][] = [
    ['counts without a mark', 'claude-house-5', ['claude-house-5[1m]'], 'claude-house-5'],
    [
      'counts with a mark',
      'claude-house-5[1m]',
      ['claude-house-5[1m]', 'claude-house-5', 'claude-house-5-20261101'],
      'claude-house-5',
    ],
    [
      'counts with the prefix of Google',
      'models/gemini-9',
      ['models/gemini-9', 'gemini-9'],
      'gemini-9',
    ],
    [
      'counts with the name of a provider, which a call may leave out',
      'openrouter/house-7',
      ['openrouter/house-7', 'house-7', 'house-7-20261101'],
      'openrouter/house-7',
    ],
    ['counts for a snapshot', 'house-7-20261101', ['house-7-20261101'], 'house-7-20261101'],
  ];
  for (const [why, model, calls, stored] of cases)
    test(why, async () => {
      await using home = await tempDir();
      for (const input of [1, 3])
        await setOwnPrice({ home: home.path, clock: systemClock }, model, {
          set: '2026-11-17',
          model,
          input,
          output: 9,
        });
      const user = await readUserPrices(home.path);
      const prices = knownPrices(user).map(({ price }) => price);
      assert.deepEqual(user.own, [{ set: '2026-11-17', model: stored, input: 3, output: 9 }]);
      for (const call of calls) assert.equal(findPrice(call, prices)?.input, 3, call);
      assert.equal(priceState(model, prices), 'known');
      await setOwnPrice({ home: home.path, clock: systemClock }, model, null);
      assert.deepEqual((await readUserPrices(home.path)).own, []);
    });
});

describe('whether a model has a price', () => {
  const cases: [why: string, model: string, state: string][] = [
    ['is known from its row', 'gpt-5.4', 'known'],
    ['is known under its provider', 'openai/gpt-5.4', 'known'],
    ['is not known without a row', 'openrouter/house-7', 'unknown'],
    ['is not known from a longer name', '4', 'unknown'],
    ['depends on its calls if it is a short name', 'anthropic/sonnet', 'alias'],
  ];
  for (const [why, model, state] of cases)
    test(why, () => assert.equal(priceState(model, PRICES.prices), state));

  test('is found in a row that was written with a mark', () => {
    const row = { model: 'models/claude-house-5[1m]', input: 1, output: 2 };
    assert.equal(findPrice('claude-house-5', [row]), row);
  });

  test('prefers the row of the exact name to one with a provider', () => {
    const far = { model: 'openrouter/house-7', input: 1, output: 2 };
    const near = { ...far, model: 'house-7' };
    assert.equal(findPrice('house-7', [far, near]), near);
  });
});
