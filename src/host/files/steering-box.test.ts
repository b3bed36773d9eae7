import assert from 'node:assert/strict';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { crashes, crashingFiles } from '../../../test/support/crashing-files.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { Taking } from './steering-box.ts';
import { SteeringBox } from './steering-box.ts';

const LATER_MS = 120_000;

/** Takes everything, as a later process does. */
async function takeAll(box: SteeringBox, now = Date.now() + LATER_MS): Promise<readonly string[]> {
  const taken: string[] = [];
  const take = () =>
    box.take(now, async (one) => {
      taken.push(one.kind === 'message' ? `${one.seq} ${one.text}` : `${one.seq} ${one.code}`);
      return one.kind === 'message' ? 'done' : 'refused';
    });
  while (await take());
  return taken;
}

describe('the messages to a role', () => {
  test('are taken once, in order', async () => {
    await using dir = await tempDir();
    const box = new SteeringBox(dir.path, 'coder');
    for (let nth = 1; nth <= 11; nth += 1) await box.add((seq) => `text ${seq}`);
    const taken = await takeAll(box);
    assert.deepEqual([taken.length, taken.at(0), taken.at(-1)], [11, '1 text 1', '11 text 11']);
    assert.deepEqual(await takeAll(box), []);
  });

  test('get different numbers from two watchers at the same time', async () => {
    await using dir = await tempDir();
    const [one, other] = [new SteeringBox(dir.path, 'coder'), new SteeringBox(dir.path, 'coder')];
    const seqs = await Promise.all(
      Array.from({ length: 10 }, (_, nth) => (nth % 2 === 0 ? one : other).add(() => 'x')),
    );
    assert.deepEqual(
      seqs.toSorted((a, b) => a - b),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
  });

  test('are not overtaken while another taker has one, and go to one of two takers', async () => {
    await using dir = await tempDir();
    const box = new SteeringBox(dir.path, 'coder');
    await box.add(() => 'a');
    await box.add(() => 'b');
    const inside: string[] = [];
    await box.take(Date.now(), async () => {
      inside.push(...(await takeAll(box, Date.now())));
      return 'done';
    });
    assert.deepEqual(inside, []);
    const both: string[] = [];
    const hear = async (): Promise<Taking> => {
      both.push('b');
      return 'done';
    };
    await Promise.all([box.take(Date.now(), hear), box.take(Date.now(), hear)]);
    assert.deepEqual(both, ['b']);
  });

  test('stay open, and the first, if they can not be taken now', async () => {
    await using dir = await tempDir();
    const box = new SteeringBox(dir.path, 'coder');
    await box.add(() => 'a');
    await box.add(() => 'b');
    assert.equal(await box.take(Date.now(), async () => 'open'), false);
    assert.deepEqual(await takeAll(box, Date.now()), ['1 a', '2 b']);
  });

  test('stay open if they can not be handed over', async () => {
    await using dir = await tempDir();
    const box = new SteeringBox(dir.path, 'coder');
    await box.add(() => 'a');
    await assert.rejects(box.take(Date.now(), async () => Promise.reject(new Error('no reader'))));
    assert.deepEqual(await takeAll(box, Date.now()), []); // the claim is young: its taker may live
    assert.deepEqual(await takeAll(box), ['1 a']);
  });

  for (const [nth, when] of crashes(2))
    test(`are added once if their watcher dies ${when} write ${nth}`, async () => {
      await using dir = await tempDir();
      const dying = new SteeringBox(dir.path, 'coder', crashingFiles(nth, when));
      await assert.rejects(dying.add(() => 'a'));
      const box = new SteeringBox(dir.path, 'coder');
      if ((await box.texts()).size === 0) await box.add(() => 'a'); // as its successor does
      assert.deepEqual(await takeAll(box), ['1 a']);
    });

  for (const [nth, when] of crashes(2))
    test(`are never lost if their taker dies ${when} write ${nth}`, async () => {
      await using dir = await tempDir();
      const box = new SteeringBox(dir.path, 'coder');
      await box.add(() => 'a');
      await box.add(() => 'b');
      const heard: string[] = [];
      const dying = new SteeringBox(dir.path, 'coder', crashingFiles(nth, when));
      await assert.rejects(
        dying.take(Date.now(), async ({ seq }) => {
          heard.push(`${seq} a`);
          return 'done';
        }),
      );
      const all = [...heard, ...(await takeAll(box))];
      // Only a death between the two writes repeats a message, and it has the same number.
      assert.deepEqual([...new Set(all)], ['1 a', '2 b']);
      assert.equal(all.length, nth === 2 && when === 'before' ? 3 : 2);
    });

  test('that are too large or no files are set aside', async () => {
    await using dir = await tempDir();
    const box = new SteeringBox(dir.path, 'coder');
    await box.add(() => 'x'.repeat(20_000));
    await mkdir(join(dir.path, 'steering', 'coder', '2.json'));
    await box.add(() => 'c');
    assert.deepEqual(await takeAll(box), ['1 EFBIG', '2 EINVAL', '3 c']);
  });

  test('are bounded', async () => {
    await using dir = await tempDir();
    const box = new SteeringBox(dir.path, 'coder');
    for (let nth = 0; nth < 130; nth += 1) await box.add(() => 'x');
    assert.equal((await readdir(join(dir.path, 'steering', 'coder'))).length, 100);
  });

  test('never leave their folder', async () => {
    await using dir = await tempDir();
    await using outside = await tempDir();
    for (const role of ['../x', 'a/b', '', '.'])
      assert.throws(() => new SteeringBox(dir.path, role), /name of a role/);
    await symlink(outside.path, join(dir.path, 'steering'));
    await assert.rejects(
      new SteeringBox(dir.path, 'coder').add(() => 'x'),
      /not a folder/,
    );
    await writeFile(join(outside.path, 'x'), '');
    assert.deepEqual(await readdir(outside.path), ['x']);
  });
});
