import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import { commandKey } from '../../base/ids.ts';
import type { CommandContext, CommandRequest, Performer } from '../../engine/performer.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { releaseItemPerformer, claimItemPerformer } from './perform-queue.ts';

/** A machine may be busy. */
const WITHIN_MS = 240_000;

const A = 'aaaaaaaaaa' as RunId;
const B = 'bbbbbbbbbb' as RunId;
const never = new AbortController().signal;

function commandContext(cancelSignal: AbortSignal = never): CommandContext {
  return { cancelSignal, killSignal: never, note: () => Promise.resolve() };
}

function ask(
  performer: Performer,
  run: RunId,
  input: object,
  cancelSignal?: AbortSignal,
): Promise<unknown> {
  return performer.perform(
    { run, key: commandKey('claim-item-1'), input } as CommandRequest,
    commandContext(cancelSignal),
  );
}

function queueIn(dir: string): {
  dir: string;
  clock: ManualClock;
  take: (run: RunId, waits?: boolean, cancelSignal?: AbortSignal) => Promise<unknown>;
  put: (run: RunId, name: string | null, to: string) => Promise<unknown>;
} {
  const clock = new ManualClock();
  const takes = claimItemPerformer({ clock });
  return {
    dir,
    clock,
    take: (run, waits = false, cancelSignal) => ask(takes, run, { dir, waits }, cancelSignal),
    put: (run, name, to) => ask(releaseItemPerformer(), run, { dir, name, to }),
  };
}

describe('a queue', { timeout: 600_000 }, () => {
  test('gives the first item by name to the first agent, and each item once', async () => {
    await using temp = await tempDir();
    const { dir, take } = queueIn(temp.path);
    writeFileSync(join(dir, '2.md'), 'two');
    writeFileSync(join(dir, '1.md'), 'one');
    assert.deepEqual(await take(A), { kind: 'claimed', name: '1.md', text: 'one' });
    assert.deepEqual(await take(B), { kind: 'claimed', name: '2.md', text: 'two' });
    assert.equal(readFileSync(join(dir, 'claimed', A, '1.md'), 'utf8'), 'one');
  });

  test('gives the item to the same agent again if its owner died', async () => {
    await using temp = await tempDir();
    const { dir, take } = queueIn(temp.path);
    writeFileSync(join(dir, '1.md'), 'one');
    await take(A);
    writeFileSync(join(dir, '0.md'), 'more urgent');
    assert.deepEqual(await take(A), { kind: 'claimed', name: '1.md', text: 'one' });
  });

  test('gives each item once, also if many agents claim items at the same time', async () => {
    await using temp = await tempDir();
    const { dir, take } = queueIn(temp.path);
    const names = Array.from({ length: 20 }, (_, nth) => `${nth}.md`);
    for (const name of names) writeFileSync(join(dir, name), name);
    const runs = names.map((_, nth) => nth.toString(16).padStart(10, '0') as RunId);
    const taken = await Promise.all(runs.map((run) => take(run)));
    assert.deepEqual(
      taken.map((one) => (one as { name: string }).name).toSorted(),
      names.toSorted(),
    );
  });

  test('refuses no agent while another one puts an item back', async () => {
    await using temp = await tempDir();
    const { dir, take, put } = queueIn(temp.path);
    const names = Array.from({ length: 60 }, (_, nth) => `${nth}.md`);
    for (const name of names) writeFileSync(join(dir, name), name);
    const runs = [A, B, 'cccccccccc' as RunId];
    const works = async (run: RunId): Promise<string[]> => {
      const done: string[] = [];
      for (;;) {
        const claimed = (await take(run)) as { kind: string; name: string };
        if (claimed.kind === 'empty') return done;
        assert.equal(claimed.kind, 'claimed');
        assert.deepEqual(await put(run, claimed.name, 'done'), { kind: 'released' });
        done.push(claimed.name);
      }
    };
    const done = await Promise.all(runs.map(works));
    assert.deepEqual(done.flat().toSorted(), names.toSorted());
  });

  test('keeps the folder that agents share, and removes the one of the agent', async () => {
    await using temp = await tempDir();
    const { dir, take, put } = queueIn(temp.path);
    writeFileSync(join(dir, '1.md'), 'one');
    await take(A);
    await put(A, '1.md', 'done');
    assert.deepEqual(readdirSync(join(dir, 'claimed')), []);
  });

  test('ignores everything but plain files of a sensible size', async () => {
    await using temp = await tempDir();
    const { dir, take } = queueIn(temp.path);
    writeFileSync(join(dir, 'secret'), 'outside');
    symlinkSync(join(dir, 'secret'), join(dir, '1-link.md'));
    mkdirSync(join(dir, '2-folder'));
    writeFileSync(join(dir, '.3-hidden'), 'x');
    writeFileSync(join(dir, '4-large'), 'x'.repeat(100_001));
    execFileSync('mkfifo', [join(dir, '5-pipe')]);
    const taken = await take(A);
    assert.deepEqual(taken, { kind: 'claimed', name: 'secret', text: 'outside' });
    assert.deepEqual(await take(B), { kind: 'empty' });
  });

  test('does not follow links in place of its folders', async () => {
    await using temp = await tempDir();
    const { dir, take } = queueIn(temp.path);
    await using elsewhere = await tempDir();
    writeFileSync(join(dir, '1.md'), 'one');
    symlinkSync(elsewhere.path, join(dir, 'claimed'));
    assert.deepEqual(await take(A), {
      kind: 'refused',
      why: `something is in the way of ${dir}/claimed/${A}`,
    });
    assert.equal(readFileSync(join(dir, '1.md'), 'utf8'), 'one');
  });

  test('keeps finished items, and overwrites none', async () => {
    await using temp = await tempDir();
    const { dir, take, put } = queueIn(temp.path);
    for (const text of ['first', 'second']) {
      writeFileSync(join(dir, '1.md'), text);
      await take(A);
      assert.deepEqual(await put(A, '1.md', 'done'), { kind: 'released' });
      assert.deepEqual(await put(A, '1.md', 'done'), { kind: 'released' }, 'twice is once');
    }
    assert.equal(readFileSync(join(dir, 'done', '1.md'), 'utf8'), 'first');
    assert.equal(readFileSync(join(dir, 'done', '1.md.2'), 'utf8'), 'second');
  });

  test('takes unfinished items back, and gives them to the next agent', async () => {
    await using temp = await tempDir();
    const { dir, take, put } = queueIn(temp.path);
    writeFileSync(join(dir, '1.md'), 'one');
    await take(A);
    await put(A, '1.md', 'queue');
    assert.deepEqual(await take(B), { kind: 'claimed', name: '1.md', text: 'one' });
  });

  test('gets back an item whose claim was not recorded, whatever its name', async () => {
    await using temp = await tempDir();
    const { dir, take, put } = queueIn(temp.path);
    writeFileSync(join(dir, '1.md'), 'one');
    await take(A);
    for (const _ of [1, 2]) assert.deepEqual(await put(A, null, 'queue'), { kind: 'released' });
    assert.deepEqual(await take(B), { kind: 'claimed', name: '1.md', text: 'one' });
  });

  test('that does not exist is reported', async () => {
    const takes = claimItemPerformer({ clock: new ManualClock() });
    assert.deepEqual(await ask(takes, A, { dir: '/nowhere/at/all', waits: false }), {
      kind: 'refused',
      why: 'the folder is not there (ENOENT)',
    });
  });

  test('is checked every half minute by an agent that waits', async () => {
    await using temp = await tempDir();
    const { dir, clock, take } = queueIn(temp.path);
    const taken = take(A, true);
    await eventually('that it sleeps', async () => clock.sleeping === 1, WITHIN_MS);
    writeFileSync(join(dir, '1.md'), 'one');
    await clock.advance(30_000);
    assert.deepEqual(await taken, { kind: 'claimed', name: '1.md', text: 'one' });
  });

  test('is left by an agent whose command is cancelled', async () => {
    await using temp = await tempDir();
    const { clock, take } = queueIn(temp.path);
    const off = new AbortController();
    const taken = take(A, true, off.signal);
    await eventually('that it sleeps', async () => clock.sleeping === 1, WITHIN_MS);
    off.abort();
    assert.deepEqual(await taken, { kind: 'cancelled' });
  });
});
