import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tempDir } from '../support/temp-dir.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

function play(...args: readonly string[]): { status: number | null; stdout: string } {
  const command = ['run', '--silent', 'play', '--', ...args];
  return spawnSync('npm', command, { cwd: root, encoding: 'utf8', timeout: 300_000 });
}

describe('npm run --silent play', () => {
  test('prints the trace and nothing else', () => {
    const pinned = join(root, 'test/otp/pinned/who-comes-back-after-what');
    const { status, stdout } = play(`${pinned}.json`);
    assert.deepEqual([status, stdout], [0, readFileSync(`${pinned}.trace`, 'utf8')]);
  });

  test('fills in what a file does not say', async () => {
    await using folder = await tempDir();
    const file = join(folder.path, 'short.json');
    writeFileSync(file, '{"children":[{"id":"a"}],"script":[["exit","a","x"],["exit","a","y"]]}');
    const { status, stdout } = play(file);
    assert.equal(status, 0);
    assert.deepEqual(stdout.split('\n'), [
      'started a',
      'children a=running',
      '# exit a x',
      'exited a x',
      'started a',
      'children a=running',
      '# exit a y',
      'exited a y',
      'supervisor_exit shutdown',
      'children -',
      '',
    ]);
  });

  test('prints nothing for a file that is no scenario, and exits with an error code', async () => {
    await using folder = await tempDir();
    const file = join(folder.path, 'bad.json');
    for (const text of ['no JSON', '[]', '{"script":[["dance"]]}', '{"children":[{"id":"A"}]}']) {
      writeFileSync(file, text);
      const { status, stdout } = play(file);
      assert.deepEqual([text, status, stdout], [text, 2, '']);
    }
  });
});
