import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import {
  dropPartial,
  findMade,
  findSetup,
  isWhole,
  placeSetup,
  markUsed,
  openPartial,
  setupsDir,
  storeSetup,
  sweepPartials,
} from './setup-store.ts';
import type { FileTree } from '../tree-entries.ts';

const base: FileTree = new Map(
  ['package.json', 'src/a.ts', 'web/src/b.ts'].map((path) => [
    path,
    { mode: '100644', id: '1', bytes: 1 },
  ]),
);

/** A home, and a tree in which a setup has run. */
async function setupHarness(): Promise<
  AsyncDisposable & { home: string; tree: string; dir: string }
> {
  const temp = await tempDir();
  const [home, tree] = [join(temp.path, 'home'), join(temp.path, 'tree')];
  await mkdir(home);
  for (const folder of ['src', 'web/src', 'node_modules/dep', 'web/node_modules/dep', '.git'])
    await mkdir(join(tree, folder), { recursive: true });
  await writeFile(join(tree, 'package.json'), 'changed by the setup');
  for (const path of ['node_modules/dep/index.js', 'web/node_modules/dep/index.js', 'src/new.ts'])
    await writeFile(join(tree, path), path);
  return {
    home,
    tree,
    dir: temp.path,
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}

const PATHS = ['node_modules', 'src/new.ts', 'web/node_modules'];

test('the result of a setup is everything new, and no file of the project', async () => {
  await using at = await setupHarness();
  assert.deepEqual(await findMade(at.tree, base), PATHS);
});

test('a stored result is copied into other trees', async () => {
  await using at = await setupHarness();
  await openPartial(at.home, 'k');
  assert.equal(await findSetup(at.home, 'k'), undefined);
  await storeSetup(at.home, 'k', { tree: at.tree, paths: PATHS, atMs: 1 });
  await dropPartial(at.home, 'k');
  const other = join(at.dir, 'other');
  await mkdir(join(other, 'web'), { recursive: true });
  await mkdir(join(other, 'node_modules/left-over'), { recursive: true });
  assert.deepEqual(await placeSetup(at.home, 'k', other), { placed: PATHS, blocked: [] });
  assert.deepEqual(await readdir(join(other, 'node_modules')), ['dep']);
  await writeFile(join(other, 'node_modules/dep/index.js'), 'an agent was here');
  const stored = (await findSetup(at.home, 'k')) ?? assert.fail();
  assert.equal(await isWhole(at.home, stored), true);
  assert.deepEqual(await readdir(setupsDir(at.home)), ['k']);
});

test('a symlink in the path is not followed', async () => {
  await using at = await setupHarness();
  await openPartial(at.home, 'k');
  await storeSetup(at.home, 'k', { tree: at.tree, paths: PATHS, atMs: 1 });
  const [other, outside] = [join(at.dir, 'other'), join(at.dir, 'outside')];
  await mkdir(other);
  await mkdir(outside);
  await symlink(outside, join(other, 'web'));
  await symlink(outside, join(other, 'node_modules'));
  assert.deepEqual(await placeSetup(at.home, 'k', other), {
    placed: ['node_modules', 'src/new.ts'],
    blocked: ['web/node_modules'],
  });
  assert.deepEqual(await readdir(outside), []);
  assert.equal(
    await readFile(join(other, 'node_modules/dep/index.js'), 'utf8'),
    'node_modules/dep/index.js',
  );
});

test('a changed result is detected, and is not used', async () => {
  await using at = await setupHarness();
  await openPartial(at.home, 'k');
  const stored = await storeSetup(at.home, 'k', { tree: at.tree, paths: PATHS, atMs: 1 });
  await writeFile(join(setupsDir(at.home), 'k/0/dep/index.js'), 'something else');
  assert.equal(await isWhole(at.home, stored), false);
  const other = join(at.dir, 'other');
  await mkdir(other);
  await assert.rejects(placeSetup(at.home, 'k', other), (error) =>
    isRefusal(error, 'setup.unavailable'),
  );
  await assert.rejects(placeSetup(at.home, 'never', other), (error) =>
    isRefusal(error, 'setup.unavailable'),
  );
});

test('a result that was not used for a month is removed', async () => {
  await using at = await setupHarness();
  const day = 24 * 3_600_000;
  for (const [key, atMs] of [
    ['old', 0],
    ['used', 0],
    ['new', 31 * day],
  ] as const) {
    await openPartial(at.home, key);
    await storeSetup(at.home, key, { tree: at.tree, paths: PATHS, atMs });
    await dropPartial(at.home, key);
  }
  await markUsed(at.home, 'used', 20 * day);
  await markUsed(at.home, 'new', 31 * day);
  assert.deepEqual((await readdir(setupsDir(at.home))).toSorted(), ['new', 'used']);
});

test('an interrupted setup has no result, and is cleaned up', async () => {
  await using at = await setupHarness();
  const partial = await openPartial(at.home, 'k');
  await mkdir(join(partial, 'result/0'), { recursive: true });
  assert.equal(await findSetup(at.home, 'k'), undefined);
  await sweepPartials(at.home);
  assert.deepEqual(await readdir(setupsDir(at.home)), []);
  await sweepPartials(join(at.dir, 'no-home-yet')).catch(() => assert.fail());
});
