/** `supervisor sandbox …` as a person types it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SandboxCheckDocument } from '../../src/public-json/machine-documents.ts';
import { tempDir } from '../support/temp-dir.ts';
import { noBubblewrap, workFolder } from './setup.ts';

const door = fileURLToPath(new URL('../../bin/supervisor.js', import.meta.url));

async function supervisor(cwd: string, ...args: readonly string[]) {
  await using home = await tempDir();
  const env = { ...process.env, SUPERVISOR_HOME: home.path, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [door, 'sandbox', ...args], {
    cwd,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('supervisor sandbox', { skip: noBubblewrap() }, () => {
  test('check prints the matrix of this machine, for people and for programs', async () => {
    const shown = await supervisor('/', 'check', '--backend', 'bubblewrap');
    assert.match(
      shown.stdout,
      /^write-outside {12}✓ {11}to write to a folder that it was not given$/m,
    );
    assert.match(shown.stdout, /^✓ bubblewrap holds: \d+ tries, 0 connections got out$/m);
    const result = await supervisor('/', 'check', '--backend', 'bubblewrap', '--json');
    const { reports } = SandboxCheckDocument.parse(JSON.parse(result.stdout));
    const bad = reports.flatMap(({ probes }) => probes.filter(({ verdict }) => verdict === 'bad'));
    assert.deepEqual([shown.status, result.status, reports.length, bad], [0, 0, 1, []]);
  });

  test('exec shows this folder read-only, and exits with the code of the command', async () => {
    await using work = await workFolder();
    const { status, stdout, stderr } = await supervisor(
      work.path,
      'exec',
      '--env',
      'A=b',
      '--',
      'sh',
      '-c',
      'pwd; echo "$A"; touch x; exit 5',
    );
    assert.deepEqual([status, stdout], [5, `${work.path}\nb\n`]);
    assert.match(stderr, /Read-only file system/);
  });

  test('exec reports when the time ran out', async () => {
    await using work = await workFolder();
    const slow = await supervisor(work.path, 'exec', '--time', '500ms', '--', 'sleep', '600');
    assert.match(slow.stderr, /bubblewrap: killed because it reached the time limit/);
    assert.notEqual(slow.status, 0);
  });

  test('exec makes the folders writable that its options name', async () => {
    await using work = await workFolder();
    const { status } = await supervisor(work.path, 'exec', '--write', '.', '--', 'touch', 'made');
    assert.deepEqual([status, readdirSync(work.path)], [0, ['made']]);
  });

  for (const [were, open] of [
    ['none were', ''],
    ['some were', 'exec 20</dev/null 251</dev/null; '],
  ] as const) {
    test(`exec passes on none of our open files beyond the tenth, when ${were}`, async () => {
      await using work = await workFolder();
      await using home = await tempDir();
      const close =
        'shopt -s nullglob; for fd in /proc/$$/fd/??*; do eval "exec ${fd##*/}<&-"; done';
      const command = [
        process.execPath,
        door,
        'sandbox',
        'exec',
        '--',
        'sh',
        '-c',
        'ls /proc/$$/fd',
      ];
      const { status, stdout, stderr } = spawnSync(
        'bash',
        ['-c', `${close}; ${open}exec "$@"`, 'bash', ...command],
        { cwd: work.path, env: { ...process.env, SUPERVISOR_HOME: home.path }, encoding: 'utf8' },
      );
      assert.deepEqual([status, stdout], [0, '0\n1\n2\n'], stderr);
    });
  }

  test('exec refuses options that would make no sandbox', async () => {
    await using work = await workFolder();
    const whole = await supervisor('/', 'exec', '--', 'true');
    assert.equal(whole.status, 2);
    assert.match(
      whole.stderr,
      /^error: This sandbox policy is not allowed: .*would be the whole file system/,
    );
    const none = await supervisor(work.path, 'exec', '--backend', 'none', '--', 'true');
    assert.deepEqual([none.status, /--unsafe-no-sandbox/.test(none.stderr)], [1, true]);
    const bare = ['exec', '--unsafe-no-sandbox', '--', 'sh', '-c', 'exit 3'];
    assert.equal((await supervisor(work.path, ...bare)).status, 3);
  });
});
