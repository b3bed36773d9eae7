import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { plainFiles } from './plain-files.ts';

test('a file behind a link is no plain file of the folder', async () => {
  await using at = await tempDir();
  for (const folder of ['tree', 'tree/types', 'other']) mkdirSync(join(at.path, folder));
  for (const file of ['tree/types/a.d.ts', 'other/b.d.ts', 'other/c.d.ts'])
    writeFileSync(join(at.path, file), '');
  symlinkSync(join(at.path, 'other'), join(at.path, 'tree', 'linked'));
  symlinkSync(join(at.path, 'other/c.d.ts'), join(at.path, 'tree', 'c.d.ts'));
  const paths = ['types/a.d.ts', 'types', 'linked/b.d.ts', 'c.d.ts', 'none'];
  assert.deepEqual(plainFiles(join(at.path, 'tree'), paths), ['types/a.d.ts']);
});
