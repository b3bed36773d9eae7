/**
 * Faults of the machine under the home: each is a refusal with its path, its cause and a remedy
 * (R12).
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { OwnerDocument } from '../../src/public-json/machine-documents.ts';
import { CliHarness } from './cli-process-harness.ts';

function mounted(path: string, options: string): Disposable | undefined {
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined; // not root, or in a container that may not
  }
  return { [Symbol.dispose]: () => void execFileSync('/bin/umount', ['--lazy', path]) };
}

/** It writes more than the free space of the project's disk. */
const WRITER = {
  id: 'writer',
  cli: 'custom',
  command: ['sh', '-c', 'head -c 2000000 /dev/zero >big; echo done'],
};

function skipped(context: TestContext, missing: string): void {
  if (process.env['CI'] !== undefined) assert.fail(`missing: ${missing}`);
  context.skip(`missing: ${missing}`);
}

describe('a home on a machine with a fault', { timeout: 300_000 }, () => {
  for (const [what, options, fill] of [
    ['a disk without space', 'size=256k,mode=0700', true],
    ['a disk without inodes', 'nr_inodes=1,mode=0700', false],
  ] as const)
    test(`on ${what}: the command says so`, async (context) => {
      await using harness = await CliHarness.create();
      using mount = mounted(harness.home.dir, options);
      if (mount === undefined) return context.skip('a tmpfs can be mounted by root only');
      if (fill) writeUntilFull(join(harness.home.dir, 'filler'));
      const { code, stderr } = await harness.run(['status']);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /full/);
      assert.doesNotMatch(stderr, /bug of ours/);
    });

  test('a journal that was cut to nothing is not replaced', async () => {
    await using harness = await CliHarness.create();
    assert.equal((await harness.run(['run', 'x', '--agent', 'scripted'])).code, 0);
    await harness.run(['owner', 'stop']);
    truncateSync(harness.home.journal, 0);
    const { code, stderr } = await harness.run(['status']);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /journal\.db cannot be used as a journal: it is empty, and it was not before/,
    );
    assert.match(
      stderr,
      /Restore a copy of it, or move the file away to start with an empty journal/,
    );
  });

  for (const [what, happens, words] of [
    ['is full', 'fill', /\.supervisor-apply-.*can't be used: the disk is full.*\(ENOSPC\)/],
    [
      'is read-only',
      'close',
      /\/project can't be changed: the file system is read-only \(EROFS\)\. No file was/,
    ],
  ] as const)
    test(`apply to a project whose disk ${what} says so, and changes nothing`, async (context) => {
      await using harness = await CliHarness.create(JSON.stringify({ agents: [WRITER] }));
      if (which('bwrap', process.env) === undefined) return skipped(context, 'bubblewrap');
      using mount = mounted(harness.project, 'size=4m,mode=0755');
      if (mount === undefined) return context.skip('a tmpfs can be mounted by root only');
      const git = (...args: readonly string[]): string =>
        execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
          cwd: harness.project,
          encoding: 'utf8',
        });
      git('init', '--quiet');
      git('commit', '--quiet', '--allow-empty', '-m', 'first');
      const set = ['--set', 'sandbox.backend=bubblewrap'];
      const ran = await harness.run(['run', 'x', '--agent', 'writer', '--json', ...set]);
      const run = String((JSON.parse(ran.stdout) as { run_id?: unknown }).run_id);
      if (happens === 'fill') writeUntilFull(join(harness.project, '.git/filler'));
      else execFileSync('/bin/mount', ['-o', 'remount,ro', harness.project]);
      const { code, stderr } = await harness.run(['apply', run]);
      assert.equal(code, 1, stderr);
      assert.match(stderr, words);
      assert.equal(git('status', '--porcelain'), '');
    });

  test('an owner of a home with a long path is found with another folder for sockets', async () => {
    await using harness = await CliHarness.create();
    const home = join(harness.dir, 'x'.repeat(120));
    const [one, two] = [join(harness.dir, 'one'), join(harness.dir, 'two')];
    for (const dir of [home, one, two]) mkdirSync(dir, { mode: 0o700 });
    const env = { SUPERVISOR_HOME: home, XDG_RUNTIME_DIR: one };
    try {
      assert.equal((await harness.run(['status'], { env })).code, 0);
      const found = await harness.run(['owner', 'status', '--json'], {
        env: { ...env, XDG_RUNTIME_DIR: two },
      });
      const { owner } = OwnerDocument.parse(JSON.parse(found.stdout));
      assert.notEqual(owner, null, found.stderr);
      assert.equal(
        (await harness.run(['status'], { env: { ...env, XDG_RUNTIME_DIR: two } })).code,
        0,
      );
    } finally {
      await harness.run(['owner', 'stop'], { env });
    }
  });
});

function writeUntilFull(path: string): void {
  for (let part = 0; part < 1000; part += 1) {
    try {
      writeFileSync(`${path}-${part}`, 'x'.repeat(16_384));
    } catch {
      return; // that was the aim
    }
  }
}
