import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { removeTree } from './write-tree.ts';

/** Creates folders with a separate program that changes into them, because no path can name them. */
function nest(root: string, levels: number, name: string): void {
  const script = `const fs = require('fs');
for (let i = 0; i < ${levels}; i++) {
  fs.writeFileSync(Buffer.from([0xff]), 'x');
  fs.mkdirSync('${name}');
  process.chdir('${name}');
}`;
  const { stderr } = spawnSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' });
  assert.equal(stderr, '');
}

const shapes: [why: string, levels: number, name: string][] = [
  ['with a path that is too long for the system', 40, 'n'.repeat(250)],
  ['nested deeper than we can hold open', 1500, 'n'],
];
for (const [why, levels, name] of shapes)
  test(`L1: a tree is removed ${why}, with names that are not text`, async () => {
    await using dir = await tempDir();
    nest(dir.path, levels, name);
    await removeTree(join(dir.path, name));
    assert.deepEqual((await readdir(dir.path, { encoding: 'buffer' })).length, 1);
  });
