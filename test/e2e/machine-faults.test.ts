/** Faults of the machine under the home: each is a refusal with its path, its cause and a remedy (R12). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRecord } from '../../src/base/json.ts';
import { Desk } from './desk.ts';

function mounted(path: string, options: string): Disposable | undefined {
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined; // not root, or in a container that may not
  }
  return { [Symbol.dispose]: () => void execFileSync('/bin/umount', ['--lazy', path]) };
}

describe('a home on a machine with a fault', { timeout: 240_000 }, () => {
  for (const [what, options, fill] of [
    ['a disk without space', 'size=256k,mode=0700', true],
    ['a disk without inodes', 'nr_inodes=1,mode=0700', false],
  ] as const)
    test(`on ${what}: the command says so`, async (context) => {
      await using desk = await Desk.set();
      using mount = mounted(desk.home.dir, options);
      if (mount === undefined) return context.skip('a tmpfs can be mounted by root only');
      if (fill) writeUntilFull(join(desk.home.dir, 'filler'));
      const { code, stderr } = await desk.say(['status']);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /full/);
      assert.doesNotMatch(stderr, /bug of ours/);
    });

  test('a journal that was cut to nothing is not replaced', async () => {
    await using desk = await Desk.set();
    assert.equal((await desk.say(['run', 'x', '--agent', 'scripted'])).code, 0);
    await desk.say(['owner', 'stop']);
    truncateSync(desk.home.journal, 0);
    const { code, stderr } = await desk.say(['status']);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /journal\.db can't be used as a journal: it is empty, and it was not before/,
    );
    assert.match(stderr, /Move the file away to start anew, or put a copy in its place/);
  });

  test('an owner of a home with a long path is found with another folder for sockets', async () => {
    await using desk = await Desk.set();
    const home = join(desk.dir, 'x'.repeat(120));
    const [one, two] = [join(desk.dir, 'one'), join(desk.dir, 'two')];
    for (const dir of [home, one, two]) mkdirSync(dir, { mode: 0o700 });
    const env = { SUPERVISOR_HOME: home, XDG_RUNTIME_DIR: one };
    try {
      assert.equal((await desk.say(['status'], { env })).code, 0);
      const found = await desk.say(['owner', 'status', '--json'], {
        env: { ...env, XDG_RUNTIME_DIR: two },
      });
      assert.ok(isRecord(JSON.parse(found.stdout)), found.stdout + found.stderr);
      assert.equal((await desk.say(['status'], { env: { ...env, XDG_RUNTIME_DIR: two } })).code, 0);
    } finally {
      await desk.say(['owner', 'stop'], { env });
    }
  });
});

function writeUntilFull(path: string): void {
  for (let part = 0; part < 100; part += 1) {
    try {
      writeFileSync(`${path}-${part}`, 'x'.repeat(16_384));
    } catch {
      return; // that was the aim
    }
  }
}
