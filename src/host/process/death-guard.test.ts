import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';

const guard = JSON.stringify(new URL('death-guard.ts', import.meta.url).href);

/** A process that imports the guard and then runs this script. */
function mortal(script: string, ...args: readonly string[]) {
  const whole = `import { guardAgainstDeath } from ${guard};\n${script}`;
  const node = [process.execPath, '--disable-warning=ExperimentalWarning'];
  return spawnSync(
    '/bin/sh',
    ['-c', 'ulimit -n 100; exec "$@"', 'sh', ...node, '--input-type=module', '-e', whole, ...args],
    { encoding: 'utf8', timeout: 300_000 },
  );
}

describe('a guard against death', { timeout: 300_000 }, () => {
  test('runs its command again until it succeeds, once its process was killed', async () => {
    await using dir = await tempDir();
    const [first, second] = [join(dir.path, 'first'), join(dir.path, 'second')];
    const command = '[ -e "$0" ] && exec touch "$1"; touch "$0"; exit 1';
    const { signal } = mortal(
      `guardAgainstDeath(['/bin/sh', '-c', ...process.argv.slice(1)], process.env, '/bin/sh');
      process.kill(process.pid, 'SIGKILL');`,
      command,
      first,
      second,
    );
    assert.equal(signal, 'SIGKILL');
    await eventually('the second try', () => existsSync(second), 30_000);
  });

  test('is skipped if too many open files prevent its start', () => {
    const { stdout, stderr } = mortal(
      `import { openSync } from 'node:fs';
      const use = () => { for (;;) openSync('/dev/null'); };
      try { use(); } catch (error) { console.log(error.code); }
      guardAgainstDeath(['true'], {}, '/bin/sh').dismiss();
      process.on('exit', (code) => console.log('exit', code));`,
    );
    assert.equal(stdout, 'EMFILE\nexit 0\n', stderr);
  });
});
