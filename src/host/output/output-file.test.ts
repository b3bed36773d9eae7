import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { OutputFile } from './output-file.ts';
import { indexPath, readOutputIndex } from './output-parts.ts';
import type { StoredChunk } from './read-output.ts';
import { followOutput, omittedBytes, readOutput } from './read-output.ts';

/** Lines that all differ, so that a misplaced byte is detected. */
function lines(count: number): string {
  return Array.from({ length: count }, (_, number) => `line ${number}\n`).join('');
}

async function write(dir: string, text: string, bytesMax?: number, pieceBytes = 1000) {
  const output = await OutputFile.open(dir, 'out', bytesMax);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes)
    await output.write(bytes.subarray(at, at + pieceBytes));
  return output;
}

async function diskBytes(dir: string): Promise<number> {
  const sizes = await Promise.all((await readdir(dir)).map((file) => stat(join(dir, file))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

async function collect(chunks: AsyncIterable<StoredChunk>, each?: () => Promise<void>) {
  const all: StoredChunk[] = [];
  for await (const chunk of chunks) {
    all.push(chunk);
    await each?.();
  }
  return all;
}

/** Checks the promise of a follower: in order, no byte twice, and every byte as it was written. */
function checkFollowed(chunks: readonly StoredChunk[], text: Buffer): { skipped: number } {
  let [at, skipped] = [0, 0];
  for (const chunk of chunks) {
    assert.equal(chunk.at, at);
    if (chunk.kind === 'skipped') skipped += chunk.byteCount;
    else assert.ok(text.subarray(at, at + chunk.bytes.length).equals(chunk.bytes));
    at += chunk.kind === 'skipped' ? chunk.byteCount : chunk.bytes.length;
  }
  assert.equal(at, text.length);
  return { skipped };
}

describe('an output on the disk', () => {
  test('an output within the limit is stored completely', async () => {
    await using folder = await tempDir();
    const text = lines(100);
    const output = await write(folder.path, text);
    const index = { bytes: 790, droppedBytes: 0, lines: 100, parts: [{ start: 0, bytes: 790 }] };
    assert.deepEqual(await output.close(), { ...index, closed: true });
    assert.deepEqual(await readOutputIndex(folder.path, 'out'), { ...index, closed: true });
    assert.equal(await readOutput(folder.path, 'out'), text);
    assert.deepEqual(await output.close(), { ...index, closed: true });
  });

  test('of a larger output, the beginning and the end are stored, with a line between', async () => {
    await using folder = await tempDir();
    const text = lines(100_000);
    const output = await write(folder.path, text, 100_000);
    assert.ok((await diskBytes(folder.path)) <= 100_000);
    const index = await output.close();
    const [head = '', tail = ''] = (await readOutput(folder.path, 'out')).split(
      `${omittedBytes(index.droppedBytes)}\n`,
    );
    assert.equal(head, text.slice(0, 40_000));
    assert.ok(tail.length > 50_000 && text.endsWith(tail), `${tail.length} bytes of tail`);
    assert.deepEqual(
      [index.bytes, index.bytes - index.droppedBytes, index.lines],
      [text.length, head.length + tail.length, 100_000],
    );
  });

  test('a missing output is empty', async () => {
    assert.equal(await readOutput('/no/such/folder', 'out'), '');
    assert.equal((await readOutputIndex('/no/such/folder', 'out')).bytes, 0);
  });

  for (const torn of [undefined, '', '{"bytes":12', '{"closed":fal', '[]']) {
    test(`without its end (index ${JSON.stringify(torn)}) everything is known from the parts`, async () => {
      await using folder = await tempDir();
      const output = await write(folder.path, lines(5000), 10_000);
      const { closed, ...index } = await output.close();
      assert.equal(closed, true);
      const text = await readOutput(folder.path, 'out');
      await rm(indexPath(folder.path, 'out'));
      if (torn !== undefined) await writeFile(indexPath(folder.path, 'out'), torn);
      assert.deepEqual(await readOutputIndex(folder.path, 'out'), { ...index, closed: false });
      assert.equal(await readOutput(folder.path, 'out'), text);
    });
  }

  test('an output that is opened again continues where it was', async () => {
    await using folder = await tempDir();
    await (await write(folder.path, 'one\ntwo')).close();
    await (await write(folder.path, '\nthree\n')).close();
    assert.equal(await readOutput(folder.path, 'out'), 'one\ntwo\nthree\n');
    assert.equal((await readOutputIndex(folder.path, 'out')).lines, 3);
  });

  test('a disk that fails for a while loses only those bytes', async () => {
    await using folder = await tempDir();
    const dir = join(folder.path, 'full');
    await mkdir(dir);
    const output = await OutputFile.open(dir, 'out', 1000);
    await rm(dir, { recursive: true });
    await output.write(Buffer.alloc(300_000, 'x'));
    assert.match(output.failure ?? '', /ENOENT/);
    await mkdir(dir);
    await output.write(Buffer.from('back\n'));
    const index = await output.close();
    assert.deepEqual([index.bytes, index.droppedBytes], [300_005, 300_000]);
    assert.equal(await readOutput(dir, 'out'), `${omittedBytes(300_000)}\nback\n`);
  });

  test('two writers of one output, and a write after the end, are defects', async () => {
    await using folder = await tempDir();
    const output = await OutputFile.open(folder.path, 'out');
    await assert.rejects(OutputFile.open(folder.path, 'out'), /already has a writer/);
    await output.close();
    assert.throws(() => output.write(Buffer.from('x')), /is closed/);
    await assert.rejects(OutputFile.open(folder.path, '../out'), TypeError);
  });

  test('any pieces and any bound leave a prefix, a gap and a suffix, and never too much', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 40 }),
        fc.integer({ min: 500, max: 3000 }),
        async (sizes, bytesMax) => {
          await using folder = await tempDir();
          const text = Buffer.from(lines(4000)).subarray(
            0,
            sizes.reduce((a, b) => a + b, 0),
          );
          const output = await OutputFile.open(folder.path, 'out', bytesMax);
          let at = 0;
          for (const size of sizes) await output.write(text.subarray(at, (at += size)));
          const index = await output.close();
          const kept = index.parts.reduce((sum, { bytes }) => sum + bytes, 0);
          assert.deepEqual([index.bytes, index.droppedBytes], [text.length, text.length - kept]);
          assert.ok(kept <= bytesMax || kept === text.length, `${kept} of ${bytesMax}`);
          const head = index.parts[0]?.bytes ?? 0;
          const marker = index.droppedBytes === 0 ? '' : gap(text[head - 1], index.droppedBytes);
          const tail = text.subarray(head + index.droppedBytes).toString();
          assert.equal(
            await readOutput(folder.path, 'out'),
            `${text.subarray(0, head).toString()}${marker}${tail}`,
          );
        },
      ),
      { numRuns: 40 },
    );
  });
});

function gap(byteBefore: number | undefined, droppedBytes: number): string {
  return `${byteBefore === 0x0a ? '' : '\n'}${omittedBytes(droppedBytes)}\n`;
}

describe('following an output', () => {
  const never = new AbortController().signal;

  test('a follower that keeps up sees every byte once, and ends with the output', async () => {
    await using folder = await tempDir();
    const clock = new ManualClock();
    const output = await OutputFile.open(folder.path, 'out', 20_000);
    const following = collect(followOutput(folder.path, 'out', { clock, signal: never }));
    const text = Buffer.from(lines(200));
    for (let at = 0; at < text.length; at += 97) await output.write(text.subarray(at, at + 97));
    await output.close();
    assert.deepEqual(checkFollowed(await following, text), { skipped: 0 });
    assert.equal(clock.sleeping, 0);
  });

  test('a follower that is too slow is notified of what it missed', async () => {
    await using folder = await tempDir();
    const text = Buffer.from(lines(20_000));
    const output = await write(folder.path, text.subarray(0, 9000).toString(), 10_000);
    const start = Promise.withResolvers<void>();
    const following = collect(
      followOutput(folder.path, 'out', { clock: new ManualClock(), signal: never }),
      () => start.promise,
    );
    for (let at = 9000; at < text.length; at += 1000)
      await output.write(text.subarray(at, at + 1000));
    const index = await output.close();
    start.resolve();
    const { skipped } = checkFollowed(await following, text);
    assert.ok(skipped > 0 && skipped <= index.droppedBytes);
  });

  test('a follower sees correct bytes in order, whenever it begins and however slow it is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 30 }),
        fc.nat(29),
        fc.array(fc.nat(3), { minLength: 1, maxLength: 10 }),
        async (sizes, begin, dawdles) => {
          await using folder = await tempDir();
          const text = Buffer.from(lines(4000)).subarray(
            0,
            sizes.reduce((a, b) => a + b, 0),
          );
          const output = await OutputFile.open(folder.path, 'out', 2000);
          let turn = 0;
          const dawdle = async () => {
            for (let left = dawdles[turn++ % dawdles.length] ?? 0; left > 0; left -= 1)
              await new Promise((resolve) => setImmediate(resolve));
          };
          let following: Promise<StoredChunk[]> | undefined;
          let at = 0;
          const options = { clock: new ManualClock(), signal: never };
          for (const [place, size] of sizes.entries()) {
            if (place === begin)
              following = collect(followOutput(folder.path, 'out', options), dawdle);
            await output.write(text.subarray(at, (at += size)));
          }
          await output.close();
          following ??= collect(followOutput(folder.path, 'out', options), dawdle);
          checkFollowed(await following, text);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('an output of another process is polled by the clock', async () => {
    await using folder = await tempDir();
    const clock = new ManualClock();
    const over = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      for await (const chunk of followOutput(folder.path, 'out', { clock, signal: over.signal }))
        seen.push(chunk.kind === 'bytes' ? Buffer.from(chunk.bytes).toString() : 'skipped');
    })();
    const look = async () => {
      await eventually('it sleeps', () => clock.sleeping === 1);
      await clock.advance(250);
      await eventually('it sleeps again', () => clock.sleeping === 1);
    };
    await look();
    await appendFile(join(folder.path, 'out.0.0.part'), 'one\n');
    await look();
    await appendFile(join(folder.path, 'out.0.0.part'), 'two\n');
    await appendFile(join(folder.path, 'out.8.2.part'), 'three\n');
    await look();
    assert.deepEqual(seen, ['one\n', 'two\n', 'three\n']);
    over.abort();
    await following;
    assert.equal(clock.sleeping, 0);
  });

  test('a follower can begin in the middle, and can be cancelled while it waits', async () => {
    await using folder = await tempDir();
    const output = await write(folder.path, 'one\ntwo\n');
    const over = new AbortController();
    const seen: StoredChunk[] = [];
    const options = { clock: new ManualClock(), signal: over.signal, from: 4 };
    const following = (async () => {
      for await (const chunk of followOutput(folder.path, 'out', options)) seen.push(chunk);
    })();
    await eventually('the rest is seen', () => seen.length > 0);
    over.abort();
    await following;
    assert.deepEqual(
      seen.map(
        (chunk) => chunk.kind === 'bytes' && [chunk.at, Buffer.from(chunk.bytes).toString()],
      ),
      [[4, 'two\n']],
    );
    await output.close();
  });
});
