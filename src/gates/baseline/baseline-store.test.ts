import assert from 'node:assert/strict';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import { baselinesDir, findBaseline, storeBaseline } from './baseline-store.ts';

const green: GateOutcome = { kind: 'passed', name: 'test' };
const red: GateOutcome = { kind: 'failed', name: 'test', exit: 1, tail: 'not ok 1' };
const HOUR_MS = 3_600_000;

describe('the result of a gate on the base', () => {
  const cases: [why: string, outcome: GateOutcome, isStored: boolean][] = [
    ['is stored if it is green', green, true],
    ['is stored if it is red', red, true],
    ['is not stored if it could not run', { kind: 'unable', name: 'test', why: 'no' }, false],
    ['is not stored if it ran out of time', { ...red, exit: null, timedOut: true }, false],
    ['is not stored if a signal ended it', { ...red, exit: null }, false],
  ];
  for (const [why, outcome, isStored] of cases)
    test(why, async () => {
      await using dir = await tempDir();
      await storeBaseline(dir.path, 'k1', outcome, 1000);
      assert.deepEqual(await findBaseline(dir.path, 'k1', 2000), isStored ? outcome : undefined);
      assert.equal(await findBaseline(dir.path, 'k2', 2000), undefined);
    });

  test('is used for a day, and not before it was made', async () => {
    await using dir = await tempDir();
    await storeBaseline(dir.path, 'k1', red, HOUR_MS);
    const found = async (nowMs: number): Promise<boolean> =>
      (await findBaseline(dir.path, 'k1', nowMs)) !== undefined;
    assert.deepEqual(
      [await found(24 * HOUR_MS), await found(25 * HOUR_MS), await found(0)],
      [true, false, false],
    );
  });

  test('is not used if its file is damaged', async () => {
    await using dir = await tempDir();
    await storeBaseline(dir.path, 'k1', red, 1000);
    await writeFile(join(baselinesDir(dir.path), 'k1.json'), '{"version":1,"key":"k1","at');
    assert.equal(await findBaseline(dir.path, 'k1', 2000), undefined);
  });

  test('is removed when it is a day older than the newest', async () => {
    await using dir = await tempDir();
    await storeBaseline(dir.path, 'old', red, 1000);
    await utimes(join(baselinesDir(dir.path), 'old.json'), 1, 1);
    await storeBaseline(dir.path, 'new', red, 1000);
    assert.deepEqual(await readdir(baselinesDir(dir.path)), ['new.json']);
  });
});
