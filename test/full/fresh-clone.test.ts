/** The promise of the two commands: a fresh clone, the machine's own Node, nothing typed before. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { checkout, emptyFolder, run, userEnv } from '../e2e/shell.ts';

async function clone(into: string): Promise<string> {
  const result = await run(['git', 'clone', '--quiet', checkout, join(into, 'clone')], into);
  assert.equal(result.code, 0, result.stderr);
  return join(into, 'clone');
}

describe('a fresh clone', { timeout: 15 * 60_000 }, () => {
  test('runs the demo and the tests, even if install scripts are switched off', async () => {
    await using folder = await emptyFolder();
    const path = await clone(folder.path);
    const env = userEnv({ npm_config_ignore_scripts: 'true', NODE_ENV: 'production' });
    const start = await run(['npm', 'start'], path, env);
    assert.equal(start.code, 0, start.stdout + start.stderr);
    const tests = await run(['npm', 'test', '--', 'src'], path, env);
    assert.match(tests.stdout, /^\d+ passed, 0 failed/m, tests.stdout + tests.stderr);
    const status = await run(['git', 'status', '--porcelain'], path);
    assert.deepEqual(status, { code: 0, stdout: '', stderr: '' });
  });

  test('is set up once when three commands begin at the same moment', async () => {
    await using folder = await emptyFolder();
    const path = await clone(folder.path);
    const all = await Promise.all([1, 2, 3].map(() => run(['node', 'scripts/setup.mjs'], path)));
    assert.deepEqual(
      all.map(({ code }) => code),
      [0, 0, 0],
    );
    assert.equal(all.filter(({ stderr }) => stderr.includes('Installing')).length, 1);
  });

  test('whose set-up was killed is repaired by the next command', async () => {
    await using folder = await emptyFolder();
    const path = await clone(folder.path);
    const first = spawn('node', ['scripts/setup.mjs'], { cwd: path, env: userEnv() });
    await once(first.stderr, 'data');
    first.kill('SIGKILL');
    await once(first, 'close');
    const second = await run(['node', 'scripts/setup.mjs'], path);
    assert.equal(second.code, 0, second.stderr);
    assert.deepEqual(await run(['node', 'scripts/setup.mjs'], path), {
      code: 0,
      stdout: '',
      stderr: '',
    });
  });
});
