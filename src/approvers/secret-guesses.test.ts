import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import { isRefusal } from '../base/errors.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { addApprover, checkSecret } from './approver-store.ts';
import { FREE_GUESSES, lockedUntil, lockMs, readGuesses } from './secret-guesses.ts';

const ADA = { name: 'ada', groups: [], secret: 'a long enough secret' };
const BOB = { name: 'bob', groups: [], secret: 'another long secret' };

/** `ok`, or the code of the refusal. */
async function guess(home: string, name: string, secret: string, now: number): Promise<string> {
  try {
    await checkSecret(home, name, secret, at(now));
    return 'ok';
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error.data.code;
  }
}

async function people() {
  const home = await tempDir();
  await addApprover(home.path, ADA, at(0), false);
  await addApprover(home.path, BOB, at(0), false);
  return home;
}

describe('the lock after wrong secrets', () => {
  const cases: [why: string, wrong: number, minutes: number][] = [
    ['is absent at first', 0, 0],
    ['is absent for a few mistakes', FREE_GUESSES - 1, 0],
    ['begins with a minute', FREE_GUESSES, 1],
    ['doubles', FREE_GUESSES + 2, 4],
    ['is an hour at most', FREE_GUESSES + 1000, 60],
  ];
  for (const [why, wrong, minutes] of cases)
    test(why, () => assert.equal(lockMs(wrong), minutes * 60_000));

  test('ends when its time is over', () => {
    const guesses = { wrong: FREE_GUESSES, lastAt: 1000 };
    assert.deepEqual([lockedUntil(guesses, 60_999), lockedUntil(guesses, 61_000)], [61_000, null]);
  });

  test('refuses the right secret too, holds for that person alone, and survives a restart', async () => {
    await using home = await people();
    for (let nth = 0; nth < FREE_GUESSES; nth += 1)
      assert.equal(await guess(home.path, 'ada', `guess ${nth}`, 0), 'approver.wrong-secret');
    assert.equal(await guess(home.path, 'ada', ADA.secret, 59_999), 'approver.locked');
    assert.equal(await guess(home.path, 'bob', BOB.secret, 59_999), 'ok');
    // The count is in a file, and time alone ends the lock.
    assert.deepEqual(await readGuesses(home.path), { ada: { wrong: FREE_GUESSES, lastAt: 0 } });
    assert.equal(await guess(home.path, 'ada', ADA.secret, 60_000), 'ok');
    assert.deepEqual(await readGuesses(home.path), {}, 'the right secret forgets the wrong ones');
  });

  test('bounds guesses that arrive at once', async () => {
    await using home = await people();
    const guesses = Array.from({ length: 20 }, (_, nth) =>
      guess(home.path, 'ada', `guess ${nth}`, 0),
    );
    const codes = await Promise.all(guesses);
    assert.equal(codes.filter((code) => code === 'approver.wrong-secret').length, FREE_GUESSES);
    assert.equal(codes.filter((code) => code === 'approver.locked').length, 20 - FREE_GUESSES);
  });

  test('does not grow while the person is locked, so it cannot be kept up for ever unseen', async () => {
    await using home = await people();
    for (let nth = 0; nth < FREE_GUESSES + 10; nth += 1) await guess(home.path, 'ada', 'x', 0);
    assert.deepEqual((await readGuesses(home.path))['ada'], { wrong: FREE_GUESSES, lastAt: 0 });
  });

  test('ends with a new secret', async () => {
    await using home = await people();
    for (let nth = 0; nth < FREE_GUESSES; nth += 1) await guess(home.path, 'ada', 'x', 0);
    await addApprover(home.path, { ...ADA, secret: 'the second long secret' }, at(1), true);
    assert.equal(await guess(home.path, 'ada', 'the second long secret', 2), 'ok');
  });

  test('counts nothing for a name that is no approver', async () => {
    await using home = await people();
    for (let nth = 0; nth < 10; nth += 1)
      assert.equal(await guess(home.path, `eve-${nth}`, 'x', 0), 'approver.wrong-secret');
    assert.deepEqual(await readGuesses(home.path), {});
  });

  test('is not ended by a damaged file', async () => {
    await using home = await people();
    await writeFile(join(home.path, 'approver-guesses.json'), '{}');
    assert.equal(await guess(home.path, 'ada', ADA.secret, 0), 'approver.unreadable');
  });
});
