import assert from 'node:assert/strict';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { treeFingerprint } from './tree-fingerprint.ts';

test('a fingerprint depends on the content of a tree only', async () => {
  await using dir = await tempDir();
  const at = (name: string): string => join(dir.path, name);
  const print = (): Promise<string | null> => treeFingerprint(dir.path, 10);
  await mkdir(at('src'));
  await mkdir(at('node_modules'));
  await writeFile(at('src/a'), 'one');
  const first = await print();
  await utimes(at('src/a'), 1, 1);
  await writeFile(at('src/a'), 'one');
  await writeFile(at('node_modules/cache'), 'x');
  assert.equal(await print(), first);
  await writeFile(at('src/a'), 'two');
  const second = await print();
  assert.notEqual(second, first);
  await writeFile(at('src/b'), 'x');
  const third = await print();
  assert.notEqual(third, second);
  await writeFile(at('large'), 'x'.repeat(1_000_001));
  const fourth = await print();
  await writeFile(at('large'), 'x'.repeat(1_000_002));
  assert.notEqual(await print(), fourth);
  await rm(at('large'));
  assert.equal(await print(), third);
});

test('a tree with too many files has no fingerprint', async () => {
  await using dir = await tempDir();
  for (const name of ['a', 'b', 'c']) await writeFile(join(dir.path, name), '');
  assert.equal(await treeFingerprint(dir.path, 2), null);
  assert.notEqual(await treeFingerprint(dir.path, 3), null);
});
