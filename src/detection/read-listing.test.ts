import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../test/support/temp-dir.ts';
import { readListing } from './read-listing.ts';

async function write(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

const FILES = {
  'package.json': '{}',
  'src/a.js': 'secret',
  'node_modules/b/package.json': '{"name":"b"}',
};

describe('the listing of a project', () => {
  test('has the files of a repository, the texts that decide, and what git ignores', async () => {
    await using dir = await tempDir();
    execFileSync('git', ['init', '--quiet'], { cwd: dir.path });
    await write(dir.path, { ...FILES, '.gitignore': 'node_modules\n*.log\n', 'a.log': '' });
    const { paths, ignored, texts } = await readListing(dir.path);
    assert.deepEqual(paths.toSorted(), ['.gitignore', 'package.json', 'src/a.js']);
    assert.deepEqual(ignored.toSorted(), ['a.log', 'node_modules']);
    assert.deepEqual([...texts], [['package.json', '{}']]);
  });

  test('without git, has the dependencies as part of the project', async () => {
    await using dir = await tempDir();
    await write(dir.path, FILES);
    const { paths, ignored } = await readListing(dir.path);
    assert.deepEqual(paths, ['package.json', 'src/a.js', 'node_modules/']);
    assert.deepEqual(ignored, []);
  });

  test('without git, respects a .gitignore', async () => {
    await using dir = await tempDir();
    await write(dir.path, { ...FILES, '.gitignore': '/node_modules/\n' });
    const { paths, ignored } = await readListing(dir.path);
    assert.deepEqual(paths, ['.gitignore', 'package.json', 'src/a.js']);
    assert.deepEqual(ignored, ['node_modules']);
  });
});
