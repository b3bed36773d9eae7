/**
 * One owner for every terminal: how it starts, which commands reach it, how it exits, what it
 * refuses.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliHarness, gone, livingOf } from './cli-process-harness.ts';
import { checkout } from './shell.ts';

const RUN = ['run', 'x', '--agent', 'scripted'];
const SLOW = `agents:
  - { id: slow, cli: scripted, args: ['1000', '100'] }
`;
const SLOW_RUN = ['run', 'x', '--agent', 'slow', '--detach'];

async function owners(harness: CliHarness): Promise<number[]> {
  const started = (await harness.events()).filter((event) => event.type === 'owner.started');
  return livingOf(started.map(({ payload }) => payload.pid));
}

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** A copy of this checkout that reports version 99. */
function otherVersion(harness: CliHarness): string {
  const copy = join(harness.dir, 'other');
  for (const part of ['src', 'bin', 'config'])
    cpSync(join(checkout, part), join(copy, part), { recursive: true });
  symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'));
  const about = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as object;
  writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...about, version: '99.0.0' }));
  return copy;
}

describe('the owner in the background', { timeout: 300_000 }, () => {
  test('is started by the first command, and the next one finds it', async () => {
    await using harness = await CliHarness.create();
    assert.equal(await harness.ownerPid(), undefined);
    assert.equal((await harness.run(RUN)).code, 0);
    const first = await harness.ownerPid();
    assert.equal((await harness.run(RUN)).code, 0);
    assert.notEqual(first, undefined);
    assert.equal(await harness.ownerPid(), first);
  });

  test('case 57: is one, however many terminals start it at the same moment', async () => {
    await using harness = await CliHarness.create();
    const terminals = Array.from({ length: 4 }, () => harness.type(RUN));
    const codes = (await Promise.all(terminals.map(({ ended }) => ended))).map(({ code }) => code);
    assert.deepEqual(codes, [0, 0, 0, 0]);
    const started = (await harness.events()).filter(({ type }) => type === 'owner.started');
    assert.equal(started.length, 1);
    assert.deepEqual(await owners(harness), [await harness.ownerPid()]);
    assert.equal((await harness.runs('--all')).length, 4);
  });

  test('keeps its home and its socket private to the user', async () => {
    await using harness = await CliHarness.create();
    await harness.run(['status']);
    const { dir, socket, outputs, ownerFile, ownerLog } = harness.home;
    assert.deepEqual([dir, socket, outputs, ownerFile, ownerLog].map(mode), [
      '700',
      '600',
      '700',
      '600',
      '600',
    ]);
  });

  test('replaces the socket of one that was killed', async () => {
    await using harness = await CliHarness.create();
    await harness.run(['status']);
    await harness.killOwner();
    assert.ok(existsSync(harness.home.socket));
    assert.deepEqual(await harness.run(['owner', 'status']), {
      code: 0,
      stdout: 'No owner is running. The next command starts one.\n',
      stderr: '',
    });
    assert.equal((await harness.run(RUN)).code, 0);
  });

  test('answers in a home whose path is too long for a socket', async () => {
    await using harness = await CliHarness.create();
    const env = { SUPERVISOR_HOME: join(harness.dir, 'h'.repeat(120)) };
    assert.equal((await harness.run(RUN, { env })).code, 0);
    assert.deepEqual(await harness.run(['owner', 'stop'], { env }), {
      code: 0,
      stdout: 'The owner has shut down.\n',
      stderr: '',
    });
  });

  test('exits when it is not needed, and not while a run is running', async () => {
    await using harness = await CliHarness.create(`${SLOW}owner: { idle_exit: 1s }\n`);
    const id = (await harness.run(SLOW_RUN)).stdout.trim();
    const pid = (await harness.ownerPid()) ?? 0;
    await harness.type(['logs', id, '--follow']).shows(/step 15 /); // longer than a second
    assert.equal((await harness.run(['stop', id])).code, 0);
    await gone([pid]);
    assert.deepEqual(
      [existsSync(harness.home.socket), existsSync(harness.home.ownerFile)],
      [false, false],
    );
    const last = (await harness.events()).filter((event) => event.type === 'owner.stopped').at(-1);
    assert.deepEqual(last?.payload, { reason: 'idle' });
  });

  test('closes in order on SIGTERM, and the run is resumed', async () => {
    await using harness = await CliHarness.create(SLOW);
    const id = (await harness.run(SLOW_RUN)).stdout.trim();
    const pid = (await harness.ownerPid()) ?? 0;
    await harness.type(['logs', id, '--follow']).shows(/step 2 /);
    process.kill(pid, 'SIGTERM');
    await gone([pid]);
    assert.match(
      (await harness.run(['status'])).stdout,
      new RegExp(`^${id}  running \\(attempt 2\\) `),
    );
    const expected = (await harness.events()).filter(({ stream }) => stream === 'owner');
    assert.deepEqual(
      expected.map(({ type }) => type),
      ['owner.started', 'owner.stopped', 'owner.started'],
    );
  });

  test('that is stopped notifies its followers, and does not restart', async () => {
    await using harness = await CliHarness.create(SLOW);
    const watching = harness.type(['run', 'x', '--agent', 'slow']);
    const [, id = ''] = await watching.shows(/Run (\w{10})/);
    await watching.shows(/step 2 /);
    assert.equal(
      (await harness.run(['owner', 'stop'])).stdout,
      [
        'The owner has shut down. 1 run was active and waits for the next owner:',
        `  ${id}  running  x`,
        'Interrupted attempts start again then. Start it with: supervisor up --detach. Any other command that needs an owner starts one too.',
        '',
      ].join('\n'),
    );
    const { code, stderr } = await watching.ended;
    assert.equal(code, 1);
    const [ended, next] = stderr.trimEnd().split('\n').slice(-2);
    assert.deepEqual(
      [ended, next],
      [
        'error: The owner was stopped. The next owner resumes its runs.',
        `Continue with: supervisor resume ${id}`,
      ],
    );
    assert.equal(await harness.ownerPid(), undefined);
    assert.match(
      (await harness.run(['why', id])).stdout,
      /attempt 1 with slow was interrupted: the owner was ended with supervisor down at \d\d:\d\d\n/,
    );
  });

  test('sets a long log aside when it starts', async () => {
    await using harness = await CliHarness.create();
    const { ownerLog } = harness.home;
    writeFileSync(ownerLog, 'x'.repeat(1_000_001));
    await harness.run(['status']);
    assert.ok(statSync(ownerLog).size < 1000);
    assert.equal(statSync(`${ownerLog}.1`).size, 1_000_001);
  });
});

describe('an owner in the foreground', { timeout: 300_000 }, () => {
  test('is the only one, and other terminals reach it', async () => {
    await using harness = await CliHarness.create(SLOW);
    const inside = harness.type(['run', 'x', '--agent', 'slow', '--foreground']);
    const [, id = ''] = await inside.shows(/Run (\w{10})/);
    await inside.shows(/step 2 /);
    const pid = inside.child.pid ?? 0;
    assert.equal(await harness.ownerPid(), pid);
    assert.match((await harness.run(['status'])).stdout, new RegExp(`^${id}  running `));
    const second = await harness.run([...RUN, '--foreground']);
    assert.deepEqual([second.code, second.stdout], [1, '']);
    assert.match(
      second.stderr,
      new RegExp(`Another process owns .* \\(pid ${pid}, since 20[-0-9]+ [:0-9]+\\)`),
    );
    assert.equal((await harness.run(['stop', id])).stdout, `${id}  cancelled\n`);
    assert.equal((await inside.ended).code, 130);
    assert.equal(await harness.ownerPid(), undefined);
  });

  test('exits when another terminal asks it to', async () => {
    await using harness = await CliHarness.create(SLOW);
    const inside = harness.type(['run', 'x', '--agent', 'slow', '--foreground']);
    await inside.shows(/step 2 /);
    assert.match(
      (await harness.run(['owner', 'stop'])).stdout,
      /^The owner has shut down\. 1 run was active and waits for the next owner:\n/,
    );
    const { code, stderr } = await inside.ended;
    assert.equal(code, 1);
    assert.match(stderr, /^error: The owner was stopped\./m);
  });
});

describe('an owner of another version', { timeout: 300_000 }, () => {
  test('exits when it has nothing to do', async () => {
    await using harness = await CliHarness.create();
    const from = otherVersion(harness);
    assert.equal((await harness.run(RUN, { from })).code, 0);
    const before = await harness.ownerPid();
    assert.equal((await harness.run(RUN)).code, 0);
    assert.notEqual(await harness.ownerPid(), before);
    assert.deepEqual(await livingOf([before ?? 0]), []);
  });

  test('is not interrupted when it is busy', async () => {
    await using harness = await CliHarness.create(SLOW);
    const from = otherVersion(harness);
    const id = (await harness.run(SLOW_RUN, { from })).stdout.trim();
    const pid = await harness.ownerPid();
    const { code, stdout, stderr } = await harness.run(['status']);
    const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
      version: string;
    };
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(
      stderr,
      `error: The owner (pid ${pid}) has version 99.0.0 and active runs; this command has version ${version}.\nWait until its runs end, or shut it down with: supervisor owner stop\n`,
    );
    assert.match((await harness.run(['status'], { from })).stdout, new RegExp(`^${id}  running `));
  });
});

describe('an unusable home', { timeout: 300_000 }, () => {
  test('with a damaged journal is refused with its path, and nothing is touched', async () => {
    await using harness = await CliHarness.create();
    const noise = randomBytes(20_000);
    writeFileSync(harness.home.journal, noise);
    const { code, stdout, stderr } = await harness.run(RUN);
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(
      stderr,
      `error: ${harness.home.journal} cannot be used as a journal: it is not an SQLite database.\nRestore a copy of it, or move the file away to start with an empty journal. See what is damaged with: supervisor doctor\n`,
    );
    assert.deepEqual(readFileSync(harness.home.journal), noise);
  });

  test('case 59: with a journal of an unknown version is refused with its path, and nothing is touched', async () => {
    await using harness = await CliHarness.create();
    assert.equal((await harness.run(RUN)).code, 0);
    await harness.run(['owner', 'stop']);
    const journal = new DatabaseSync(harness.home.journal);
    journal.exec('PRAGMA user_version = 999');
    journal.close();
    const before = readFileSync(harness.home.journal);
    const { code, stderr } = await harness.run(RUN);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^error: .*journal\.db has schema version 999; this program knows only version 1\./,
    );
    assert.deepEqual(readFileSync(harness.home.journal), before);
  });

  test('because it is a file is refused', async () => {
    await using harness = await CliHarness.create();
    const file = join(harness.dir, 'file');
    writeFileSync(file, '');
    const { code, stderr } = await harness.run(RUN, { env: { SUPERVISOR_HOME: file } });
    assert.equal(code, 2);
    assert.match(stderr, /^error: The home .*\/file can't be used: it is a file, not a folder\./);
  });
});

describe('a wrong configuration', { timeout: 300_000 }, () => {
  test('is refused with file and line before an owner starts', async () => {
    await using harness = await CliHarness.create('limits:\n  atempts: 3\n');
    const { code, stdout, stderr } = await harness.run(RUN);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^error: .*home\/config\.yaml:2:3: .*atempts.*attempts/);
  });

  test('is refused by a running owner, which survives it', async () => {
    await using harness = await CliHarness.create();
    assert.equal((await harness.run(RUN)).code, 0);
    const pid = await harness.ownerPid();
    await harness.configure('limits:\n  atempts: 3\n');
    const { code, stderr } = await harness.run(RUN);
    assert.equal(code, 2);
    assert.match(stderr, /^error: .*home\/config\.yaml:2:3: /);
    await harness.configure('');
    assert.equal((await harness.run(RUN)).code, 0);
    assert.equal(await harness.ownerPid(), pid);
  });
});

test('a follower that disconnects does not keep the owner up', { timeout: 300_000 }, async () => {
  await using harness = await CliHarness.create('owner: { idle_exit: 1s }\n');
  const following = harness.type(['events', '--follow']);
  await following.shows(/an owner started/);
  const pid = (await harness.ownerPid()) ?? 0;
  await sleep(2500); // twice the time after which it would exit
  assert.deepEqual(await livingOf([pid]), [pid]);
  following.child.kill('SIGKILL');
  await gone([pid]);
});
