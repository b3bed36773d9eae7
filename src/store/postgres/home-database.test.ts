import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { homeAt } from '../../host/machine/state-home.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { findDatabase, namedDatabase, recordDatabase } from './home-database.ts';

describe('the database of a home', () => {
  for (const url of [
    'postgres://me@db.example:5432/work',
    'postgresql://db.example/work?schema=team_a&sslmode=require',
    'postgres://me@/work?host=/var/run/postgresql',
  ])
    test(`is found again as it was named: ${url}`, async () => {
      await using dir = await tempDir();
      const home = homeAt(dir.path, dir.path);
      assert.equal(await findDatabase(home), undefined);
      const named = { address: namedDatabase(url), homeId: 'home-1' };
      await recordDatabase(home, named);
      assert.deepEqual(await findDatabase(home), named);
      assert.equal((await stat(home.database)).mode & 0o777, 0o600);
    });

  for (const url of [
    'postgres://me:s3cret@db.example/work',
    'postgres://me@db.example/work?password=s3cret',
  ])
    test(`is refused with a password in its address: ${url.replace('s3cret', '…')}`, () => {
      assert.throws(
        () => namedDatabase(url),
        (error) =>
          isRefusal(error, 'usage.invalid') &&
          /pgpass/.test(String(error.data.hint)) &&
          !JSON.stringify(error.data).includes('s3cret'),
      );
    });

  test('is refused if the file of the home names none', async () => {
    await using dir = await tempDir();
    const home = homeAt(dir.path, dir.path);
    for (const text of [
      '',
      '{}',
      '{"url": 7}',
      '{"url": "postgres://x/y"}',
      '["postgres://x/y"]',
    ]) {
      await writeFile(home.database, text);
      await assert.rejects(
        findDatabase(home),
        (error) => isRefusal(error, 'home.unusable') && error.message.includes(home.database),
      );
      assert.equal(await readFile(home.database, 'utf8'), text);
    }
  });
});
