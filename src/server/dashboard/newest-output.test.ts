import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OutputChunk } from '../../protocol/api.ts';
import { mergeStreams } from './merge-streams.ts';
import { newestOutput } from './newest-output.ts';

const chunk = (text: string): OutputChunk => ({ key: 'attempt-1', stream: 'stdout', text });

/** All promises that can settle have settled. */
const aWhile = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function* from<Item>(items: readonly Item[]): AsyncGenerator<Item, void> {
  yield* items;
}

describe('the output for a page', () => {
  test('leaves out the beginning if it comes faster than the page takes it', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `line ${index}\n`);
    const pieces = [];
    for await (const piece of newestOutput(from(texts.map(chunk)), 30)) pieces.push(piece);
    const shown = pieces.flatMap(({ chunks }) => chunks.map(({ text }) => text)).join('');
    const leftOut = pieces.reduce((sum, piece) => sum + piece.leftOut, 0);
    assert.ok(shown.endsWith('line 98\nline 99\n'), shown);
    assert.equal(shown.length + leftOut, texts.join('').length);
  });

  test('that fails while the page takes nothing ends the stream of the page, not the owner', async () => {
    async function* broken(): AsyncGenerator<OutputChunk, void> {
      yield chunk('a');
      throw new Error('the disk is gone');
    }
    const pieces = newestOutput(broken());
    assert.equal((await pieces.next()).value?.chunks[0]?.text, 'a');
    await aWhile(); // an error that nothing handles would end this process
    await assert.rejects(pieces.next(), /the disk is gone/);
  });

  test('comes whole if the page keeps up', async () => {
    const pieces = [];
    for await (const piece of newestOutput(from(['a', 'b'].map(chunk)))) pieces.push(piece);
    assert.equal(pieces.flatMap(({ chunks }) => chunks.map(({ text }) => text)).join(''), 'ab');
  });
});

describe('merged streams', () => {
  test('have the items of all, each in its order', async () => {
    const items = [];
    for await (const item of mergeStreams([from([1, 2, 3]), from([10, 20])])) items.push(item);
    assert.deepEqual(
      items.filter((one) => one < 10),
      [1, 2, 3],
    );
    assert.deepEqual(
      items.filter((one) => one >= 10),
      [10, 20],
    );
  });

  test('fail if one of them does', async () => {
    async function* broken(): AsyncGenerator<number, void> {
      yield 1;
      throw new Error('broken');
    }
    await assert.rejects(async () => {
      for await (const item of mergeStreams([broken(), from([2])])) assert.ok(item > 0);
    }, /broken/);
  });

  test('fail when the page takes the next item if one of them fails before', async () => {
    async function* broken(): AsyncGenerator<number, void> {
      yield 1;
      throw new Error('broken');
    }
    const merged = mergeStreams([broken()]);
    assert.deepEqual(await merged.next(), { done: false, value: 1 });
    await aWhile();
    await assert.rejects(merged.next(), /broken/);
  });

  test('may fail after the page has gone', async () => {
    async function* broken(): AsyncGenerator<number, void> {
      yield 1;
      throw new Error('broken');
    }
    const merged = mergeStreams([broken()]);
    await merged.next();
    await merged.return();
    await aWhile();
  });
});
