import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { temporaryFolder } from '../../../test/support/journal-files.ts';
import { acquireOwnership } from './owner-lock.ts';

describe('within one process', () => {
  test('the second gets no lock until the first releases it', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'owner.lock');
    const first = acquireOwnership(path);
    assert.notEqual(first, undefined);
    assert.equal(acquireOwnership(path), undefined);
    first?.release();
    first?.release();
    const second = acquireOwnership(path);
    assert.notEqual(second, undefined);
    second?.release();
  });

  test('a missing folder is refused by name', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'absent', 'owner.lock');
    assert.throws(
      () => acquireOwnership(path),
      (error) => isRefusal(error, 'store.unreadable') && error.message.includes(path),
    );
  });

  test('a file with other content is not called a journal, and stays as it is', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'owner.lock');
    writeFileSync(path, 'mine\n'.repeat(100));
    assert.throws(
      () => acquireOwnership(path),
      (error) => isRefusal(error, 'store.unreadable') && /not the lock/.test(error.message),
    );
    assert.equal(readFileSync(path, 'utf8'), 'mine\n'.repeat(100));
  });
});
