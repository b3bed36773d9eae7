import assert from 'node:assert/strict';
import { existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { prepareTree } from './prepare-tree.ts';

const GRANTED = { read: [], path: [], record: [] };

test('a granted file that is too large to copy is refused by its name, and no part of it stays', async () => {
  await using dir = await tempDir();
  const [from, tree] = [join(dir.path, 'data'), join(dir.path, 'tree')];
  mkdirSync(tree);
  mkdirSync(from);
  writeFileSync(join(from, 'a.txt'), 'a');
  writeFileSync(join(from, 'large'), '');
  truncateSync(join(from, 'large'), 11_000_000);
  const granted = { ...GRANTED, grants: [{ kind: 'copy', from, to: 'data' } as const] };
  const request = { tree, stateDir: dir.path, setup: null, granted };
  await assert.rejects(
    prepareTree(request),
    (error) =>
      isRefusal(error, 'workspace.unsafe-grant') &&
      error.message.startsWith('"data" cannot be granted to an agent: it has more than 10 MB'),
  );
  assert.equal(existsSync(join(tree, 'data')), false);
  truncateSync(join(from, 'large'), 9_000_000);
  assert.deepEqual(await prepareTree(request), ['data']);
});
