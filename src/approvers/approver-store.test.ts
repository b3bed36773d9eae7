import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import { isRefusal } from '../base/errors.ts';
import { newSecret } from '../host/machine/secret-hash.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { addApprover, checkSecret, listApprovers, removeApprover } from './approver-store.ts';

const ADA = { name: 'ada', groups: ['security_team'], secret: 'a long enough secret' };

async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return isRefusal(error) ? error.data.code : `no refusal: ${String(error)}`;
}

describe('approvers', () => {
  test('are known by their secret, of which the file has only a hash', async () => {
    await using home = await tempDir();
    await addApprover(home.path, ADA, at(5), false);
    const found = await checkSecret(home.path, 'ada', ADA.secret, at(9));
    assert.deepEqual([found.name, found.groups, found.addedAt], ['ada', ['security_team'], 5]);
    const file = join(home.path, 'approvers.json');
    assert.ok(!(await readFile(file, 'utf8')).includes(ADA.secret));
    assert.equal((await stat(file)).mode & 0o077, 0, 'only our user can read it');
  });

  const wrong: [why: string, name: string, secret: string][] = [
    ['a wrong secret', 'ada', 'another long secret'],
    ['an empty secret', 'ada', ''],
    ['an unknown name', 'bob', ADA.secret],
  ];
  for (const [why, name, secret] of wrong)
    test(`refuses ${why}, in the same words`, async () => {
      await using home = await tempDir();
      await addApprover(home.path, ADA, at(0), false);
      assert.equal(
        await refusalOf(checkSecret(home.path, name, secret, at(9))),
        'approver.wrong-secret',
      );
    });

  test('are replaced only if that is wanted, and the old secret ends', async () => {
    await using home = await tempDir();
    await addApprover(home.path, ADA, at(0), false);
    const again = { ...ADA, groups: [], secret: 'the second long secret' };
    assert.equal(
      await refusalOf(addApprover(home.path, again, at(1), false)),
      'approver.name-taken',
    );
    await addApprover(home.path, again, at(1), true);
    assert.equal((await listApprovers(home.path)).length, 1);
    assert.equal(
      await refusalOf(checkSecret(home.path, 'ada', ADA.secret, at(9))),
      'approver.wrong-secret',
    );
    await checkSecret(home.path, 'ada', again.secret, at(9));
  });

  test('are removed by name', async () => {
    await using home = await tempDir();
    await addApprover(home.path, ADA, at(0), false);
    assert.equal(await refusalOf(removeApprover(home.path, 'eda')), 'approver.not-found');
    await removeApprover(home.path, 'ada');
    assert.deepEqual(await listApprovers(home.path), []);
  });

  test('need a long secret, and each chosen one is different', async () => {
    await using home = await tempDir();
    const short = { ...ADA, secret: '12345678901' };
    assert.equal(await refusalOf(addApprover(home.path, short, at(0), false)), 'usage.invalid');
    assert.notEqual(newSecret(), newSecret());
    assert.match(newSecret(), /^[\w-]{24}$/);
  });

  test('are refused as a whole if the file is damaged: it is never read as empty', async () => {
    await using home = await tempDir();
    await writeFile(join(home.path, 'approvers.json'), '{"version":1}');
    assert.equal(await refusalOf(listApprovers(home.path)), 'approver.unreadable');
  });
});
