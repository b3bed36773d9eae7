import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { countTokens as countPieces } from 'gpt-tokenizer/encoding/o200k_base';
import { countTokens, tokensAtMost, usableTokens, widestMargin } from './tokenizer.ts';

describe('the token count of a text', () => {
  test('equals that of the tokenizer for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        assert.equal(countTokens(text), countPieces(text, { disallowedSpecial: new Set() }));
      }),
    );
  });

  test('is never more than its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        assert.ok(countTokens(text) <= tokensAtMost(text));
      }),
    );
  });

  test('treats a special token as text', () => {
    assert.equal(countTokens('<|endoftext|>'), 7);
  });

  test('of one very long word is fast, and never too low', () => {
    assert.equal(countTokens('ab'.repeat(500_000)), 250_000);
  });
});

test('a budget has a margin for other tokenizers', () => {
  const cases = ['codex', 'gemini', 'claude', 'something-else', null].map((cli) =>
    usableTokens(10_000, cli),
  );
  assert.deepEqual(cases, [9803, 8695, 7407, 7407, 7407]);
});

test('a text for several CLIs must fit the one that counts the most tokens', () => {
  const widest = [
    ['codex'],
    ['codex', 'gemini'],
    ['codex', 'claude', 'gemini'],
    ['codex', 'mine'],
    [],
  ];
  assert.deepEqual(widest.map(widestMargin), ['codex', 'gemini', 'claude', 'mine', null]);
});
