import assert from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { seededRandom } from '../base/random.ts';
import { processTable } from '../host/process/process-table.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { systemRandom } from '../host/machine/system-random.ts';
import { eventually } from '../../test/support/eventually.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { probeProgram } from './probe-program.ts';

/** A folder with one small executable, which is all that is on the PATH. */
async function fakeProgram(script: string) {
  const dir = await tempDir();
  const path = join(dir.path, 'fake');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  const env = { PATH: dir.path, HOME: dir.path, SECRET_API_KEY: 'sesame' };
  return { dir, path, ports: { clock: systemClock, random: systemRandom, env } };
}

describe('a program that is probed', () => {
  test('answers', async () => {
    const { dir, path, ports } = await fakeProgram('echo "fake $1"; echo beware >&2');
    await using _ = dir;
    assert.deepEqual(await probeProgram(['fake', '1.2.3'], ports), {
      kind: 'ended',
      path,
      ok: true,
      how: 'exited with code 0',
      stdout: 'fake 1.2.3\n',
      stderr: 'beware\n',
    });
  });

  test('is not on the PATH', async () => {
    const { dir, ports } = await fakeProgram('');
    await using _ = dir;
    assert.deepEqual(await probeProgram(['other'], ports), { kind: 'absent' });
  });

  test('fails', async () => {
    const { dir, path, ports } = await fakeProgram('echo no >&2; exit 1');
    await using _ = dir;
    assert.deepEqual(await probeProgram(['fake'], ports), {
      kind: 'ended',
      path,
      ok: false,
      how: 'exited with code 1',
      stdout: '',
      stderr: 'no\n',
    });
  });

  test('cannot be started', async () => {
    const { dir, path, ports } = await fakeProgram('');
    await using _ = dir;
    await writeFile(path, '#!/not/there\n');
    const answer = await probeProgram(['fake'], ports);
    assert.ok(answer.kind === 'ended');
    assert.deepEqual([answer.ok, answer.how], [false, 'could not be started (ENOENT)']);
  });

  test('prints garbage, which is kept unchanged', async () => {
    const { dir, ports } = await fakeProgram(String.raw`printf '\033[2J\377\000v?'`);
    await using _ = dir;
    const answer = await probeProgram(['fake'], ports);
    assert.ok(answer.kind === 'ended');
    assert.equal(answer.stdout, '\u001b[2J\ufffd\0v?');
  });

  test('prints too much and is killed', async () => {
    const { dir, path, ports } = await fakeProgram('while :; do echo 1.2.3 1.2.3 1.2.3; done');
    await using _ = dir;
    const still = { ...ports, clock: new ManualClock() }; // only the flood can end it
    assert.deepEqual(await probeProgram(['fake'], still), {
      kind: 'flooded',
      path,
      bytesMax: 16_384,
    });
  });

  test('hangs and is killed after five seconds, with its children', async () => {
    const { dir, path, ports } = await fakeProgram(
      '/bin/sleep 600 &\necho "$$ $!" >"$HOME/started"\nwait',
    );
    await using _ = dir;
    const clock = new ManualClock();
    const probing = probeProgram(['fake'], { ...ports, clock, random: seededRandom(process.pid) });
    const started = join(dir.path, 'started');
    const pids = async () => (await readFile(started, 'utf8').catch(() => '')).trim();
    await eventually('it has started', async () => (await pids()) !== '');
    await clock.advance(4999);
    assert.equal(clock.sleeping, 1);
    await clock.advance(1);
    assert.deepEqual(await probing, { kind: 'unanswered', path, afterMs: 5000 });
    const killed = (await pids()).split(' ').map(Number);
    const living = (await processTable.rows()).map(({ pid }) => pid);
    assert.deepEqual(
      killed.filter((pid) => living.includes(pid)),
      [],
    );
  });

  test('is killed when the probe is aborted', async () => {
    const { dir, path, ports } = await fakeProgram('exec /bin/sleep 600');
    await using _ = dir;
    const answer = await probeProgram(['fake'], ports, AbortSignal.abort());
    assert.deepEqual(answer, { kind: 'unanswered', path, afterMs: 5000 });
  });

  test('gets only the variables that it needs', async () => {
    const { dir, ports } = await fakeProgram('/usr/bin/env');
    await using _ = dir;
    const answer = await probeProgram(['fake'], ports);
    assert.ok(answer.kind === 'ended');
    assert.match(answer.stdout, /^NO_COLOR=1$/m);
    assert.doesNotMatch(answer.stdout, /sesame|SECRET/);
  });
});
