import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const root = new URL('../../', import.meta.url);

test("the guide's program prints what the guide says", { timeout: 300_000 }, async (t) => {
  const guide = await readFile(new URL('docs/guide/model-server.md', root), 'utf8');
  const [, program = '', printed = ''] =
    /```ts\n(.*?)```\n\nIt prints\n\n```text\n(.*?)```/s.exec(guide) ?? [];
  assert.notEqual(program, '');
  const folder = await mkdtemp(join(tmpdir(), 'guide-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'program.mts');
  const testing = new URL('src/testing/index.ts', root).href;
  await writeFile(file, program.replace("'agent-supervisor/testing'", JSON.stringify(testing)));
  const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 300_000 });
  assert.equal(stdout.replace(/toolu_\w+/, '<id>'), printed);
});
