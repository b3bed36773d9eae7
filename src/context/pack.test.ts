import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { isRefusal } from '../base/errors.ts';
import { hashText } from '../base/hash-text.ts';
import { ContextCache } from './context-cache.ts';
import { pack } from './pack.ts';
import type { Packed, PackOptions } from './pack.ts';
import type { Fragment } from './fragment.ts';
import { countTokens, usableTokens } from './tokenizer.ts';

function piece(part: string, name: string, text: string): Fragment {
  return {
    part,
    name,
    tag: 'file',
    load: async () => ({ kind: 'text', text, hash: hashText(text) }),
  };
}

const words = (count: number): string => 'word '.repeat(count).trim();

function packed(pieces: readonly Fragment[], more: Partial<PackOptions> = {}): Promise<Packed> {
  return pack({
    pieces,
    order: ['first', 'second', 'third'],
    keep: ['first'],
    budget: 1000,
    cli: 'codex',
    around: (context) => `FRAME ${context}`,
    redact: async (text) => text,
    cache: new ContextCache(),
    ...more,
  });
}

function names({ kept, dropped }: Packed): unknown {
  return {
    kept: kept.map(({ piece: { name } }) => name),
    dropped: dropped.map(({ name, why }) => `${name}: ${why}`),
  };
}

describe('packing', () => {
  test('shows fragments in order, each between marks that no text contains', async () => {
    const { text, tokens } = await packed([
      piece('second', 'b.ts', 'B </file> <file path="x">'),
      piece('first', 'a "x".ts', 'A'),
    ]);
    const mark = /^<file-([0-9a-f]{8}) /.exec(text)?.[1];
    assert.equal(
      text,
      `<file-${mark} path="b.ts">\nB </file> <file path="x">\n</file-${mark}>\n<file-${mark} path="a \\"x\\".ts">\nA\n</file-${mark}>\n`,
    );
    assert.equal(tokens, countTokens(`FRAME ${text}`));
  });

  test('drops the last part first, so that nothing displaces a more important part', async () => {
    const result = await packed([
      piece('first', 'a', words(300)),
      piece('second', 'b1', words(300)),
      piece('second', 'b2', words(500)),
      piece('second', 'b3', words(100)),
      piece('third', 'c', 'tiny'),
    ]);
    assert.deepEqual(names(result), {
      kept: ['a', 'b1', 'b3'],
      dropped: ['b2: no room', 'c: no room'],
    });
  });

  test('does not drop the rest because of a fragment that could never fit', async () => {
    const result = await packed([piece('second', 'b', words(5000)), piece('third', 'c', 'tiny')]);
    assert.deepEqual(names(result), { kept: ['c'], dropped: ['b: larger than the whole budget'] });
  });

  test('shows a file once, in its most important part', async () => {
    const result = await packed([piece('third', 'a', 'x'), piece('second', 'a', 'x')]);
    assert.deepEqual(
      result.kept.map(({ piece }) => piece.part),
      ['second'],
    );
  });

  test('counts the whole prompt, even if it grows with its context', async () => {
    const pieces = [piece('second', 'b', words(300)), piece('third', 'c', words(300))];
    const result = await packed(pieces, { around: (context) => context + context });
    assert.deepEqual(names(result), { kept: ['b'], dropped: ['c: no room'] });
    assert.equal(result.tokens, countTokens(result.text + result.text));
  });

  test('does not load fragments that cannot fit', async () => {
    let reads = 0;
    const many = Array.from({ length: 1000 }, (_, n): Fragment => {
      const one = piece('second', `f${n}`, words(400));
      return { ...one, load: () => ((reads += 1), one.load()) };
    });
    const { kept, dropped } = await packed([...many, piece('third', 'c', 'x')]);
    assert.deepEqual([kept.length, dropped.length], [2, 999]);
    assert.ok(reads <= 64, `${reads} were read`);
  });

  test('is refused with the name of the part if a required part does not fit', async () => {
    await assert.rejects(packed([piece('first', 'a', words(3000))]), (error) => {
      assert.ok(isRefusal(error, 'context.too-large'));
      assert.deepEqual(
        { part: error.data.details?.['part'], usable: error.data.details?.['usable'] },
        { part: 'first', usable: 980 },
      );
      return true;
    });
  });

  test('is refused if the prompt alone does not fit', () =>
    assert.rejects(packed([], { around: () => words(2000) }), /The part frame does not fit/));

  test('redacts secrets, once for each content', async () => {
    let calls = 0;
    const cache = new ContextCache();
    const redact = async (text: string): Promise<string> => {
      calls += 1;
      return text.replace('hunter2', '[gone]');
    };
    const pieces = [piece('first', 'a.ts', "x hunter2 const token = 'abcdefgh';")];
    const { text } = await packed(pieces, { cache, redact });
    assert.match(text, /x \[gone\] const token = '\[REDACTED\]';/);
    assert.equal((await packed(pieces, { cache, redact })).text, text);
    assert.equal(calls, 1);
  });

  test('reports what is left out and why, but not files that do not exist', async () => {
    const { leftOut, kept } = await packed([
      { ...piece('second', 'b.png', ''), load: async () => ({ kind: 'left-out', why: 'binary' }) },
      { ...piece('second', 'gone.ts', ''), load: async () => ({ kind: 'absent' }) },
    ]);
    assert.deepEqual([leftOut, kept], [[{ part: 'second', name: 'b.png', why: 'binary' }], []]);
  });
});

function around(context: string): string {
  return `FRAME\n${context}\nEND`;
}

test('any selection stays within the budget and keeps its order', async () => {
  const text = fc.oneof(
    fc.nat(400).map(words),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.constantFrom(
      '\n\n//\n',
      '</file>',
      '{}\n',
      ' '.repeat(50),
      '\u{1F469}\u200D\u{1F680}'.repeat(40),
    ),
  );
  const chosen = fc.array(
    fc.record({
      part: fc.constantFrom('first', 'second', 'third', 'other'),
      name: fc.string(),
      text,
    }),
    { maxLength: 12 },
  );
  const cache = new ContextCache();
  await fc.assert(
    fc.asyncProperty(
      chosen,
      fc.integer({ min: 50, max: 1500 }),
      fc.constantFrom('codex', 'claude', 'gemini', null),
      async (chosen, budget, cli) => {
        const pieces = chosen.map(({ part, name, text }) => piece(part, name, text));
        const result = await packed(pieces, { budget, cli, around, keep: [], cache });
        const whole = countTokens(around(result.text));
        assert.equal(result.tokens, whole);
        assert.ok(whole <= usableTokens(budget, cli));
        const order = ['first', 'second', 'third', 'other'];
        const starved = result.dropped.filter(({ why }) => why === 'no room');
        const firstStarved = Math.min(...starved.map(({ part }) => order.indexOf(part)));
        for (const { piece } of result.kept) assert.ok(order.indexOf(piece.part) <= firstStarved);
      },
    ),
    { numRuns: 300 },
  );
});
