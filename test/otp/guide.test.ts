import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { tempDir } from '../support/temp-dir.ts';

const root = new URL('../../', import.meta.url);

test('the program of the supervision guide prints the output of the guide', async () => {
  const guide = await readFile(new URL('docs/guide/supervision.md', root), 'utf8');
  const [, program = '', printed = ''] =
    /```ts\n(.*?)```\n\nIt prints\n\n```text\n(.*?)```/s.exec(guide) ?? [];
  assert.notEqual(program, '');
  await using folder = await tempDir();
  const file = join(folder.path, 'program.mts');
  const library = JSON.stringify(new URL('src/supervision/index.ts', root).href);
  await writeFile(file, program.replaceAll("'agent-supervisor/supervision'", library));
  const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 300_000 });
  assert.equal(stdout, printed);
});
