/**
 * The scripts behind `npm start` and the other commands: how they begin, pass signals on, and end.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { checkout, emptyFolder, run, userEnv } from './shell.ts';

const withNode24 = join(checkout, 'scripts/with-node24.mjs');

/** In its own process group, which is killed after the test in any case. */
function start(t: TestContext, file: string, stdout: 'pipe' | 'inherit'): ChildProcess {
  const child = spawn('node', [withNode24, file], {
    env: userEnv(),
    stdio: ['ignore', stdout, 'inherit'],
    detached: true,
  });
  t.after(() => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, 'SIGKILL');
  });
  return child;
}

describe('a checkout with nothing installed', { timeout: 300_000 }, () => {
  test('reports in one sentence that the registry is out of reach, and leaves nothing', async () => {
    await using folder = await emptyFolder();
    const given = ['package.json', 'package-lock.json', '.npmrc', 'scripts'];
    for (const name of given) {
      await cp(join(checkout, name), join(folder.path, name), { recursive: true });
    }
    const nowhere = userEnv({ npm_config_registry: 'http://127.0.0.1:9' });
    const result = await run(['node', 'scripts/setup.mjs'], folder.path, nowhere);
    // On a slow machine it says how long it has waited.
    const lines = result.stderr.split('\n').filter((line) => !line.startsWith('… '));
    assert.deepEqual(
      { ...result, stderr: lines.join('\n') },
      {
        code: 1,
        stdout: '',
        stderr: [
          'Installing dependencies (first time, about a minute) …',
          `The npm registry can't be reached (ECONNREFUSED): check the network, the proxy and "npm config get registry", then type the same command again.\n`,
        ].join('\n'),
      },
    );
    assert.deepEqual((await readdir(folder.path)).toSorted(), given.toSorted());
  });
});

describe('a file run with Node 24', { timeout: 300_000 }, () => {
  test('gets its arguments, and its exit code is that of the command', async () => {
    await using folder = await emptyFolder();
    const file = join(folder.path, 'ends.mjs');
    await writeFile(file, `console.log(process.version, process.argv.slice(2)); process.exit(7);`);
    const result = await run(['node', withNode24, file, 'a b', '--c'], folder.path);
    const { devDependencies } = (await import('../../package.json', { with: { type: 'json' } }))
      .default;
    assert.deepEqual(result, {
      code: 7,
      stdout: `v${devDependencies.node} [ 'a b', '--c' ]\n`,
      stderr: '',
    });
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`receives ${signal} once and decides how to end`, async (t) => {
      await using folder = await emptyFolder();
      const file = join(folder.path, 'hears.mjs');
      await writeFile(
        file,
        `let heard = 0; process.on('${signal}', () => { heard += 1; setTimeout(() => process.exit(40 + heard), 200); });
         setInterval(() => {}, 1000); console.log('ready');`,
      );
      const child = start(t, file, 'pipe');
      assert.ok(child.stdout);
      await once(child.stdout, 'data');
      child.kill(signal);
      assert.deepEqual(await once(child, 'close'), [41, null]);
    });
  }

  test('that dies by a signal makes the command die by it', async (t) => {
    await using folder = await emptyFolder();
    const file = join(folder.path, 'dies.mjs');
    await writeFile(file, `process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);`);
    const child = start(t, file, 'inherit');
    assert.deepEqual(await once(child, 'close'), [null, 'SIGTERM']);
  });
});
