import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { declaredChain } from './declared-chain.ts';
import { starterConfig } from './starter-config.ts';

const CASES: readonly (readonly [why: string, text: string, expected: readonly string[]])[] = [
  ['an empty file', '', []],
  ['no agent', 'version: 1\n', []],
  ['one agent', 'default_agent: claude\n', ['claude']],
  [
    'its fallbacks in turn',
    'default_agent: a\nselection:\n  fallbacks: {b: c, a: b}\n',
    ['a', 'b', 'c'],
  ],
  ['a circle', 'default_agent: a\nselection: {fallbacks: {a: b, b: a}}\n', ['a', 'b']],
  ['a fallback of another agent', 'default_agent: a\nselection: {fallbacks: {b: c}}\n', ['a']],
  ['text that is no configuration', '- a\n', []],
  ['invalid text', 'default_agent: [a\n', []],
];

describe('the declared chain', () => {
  for (const [why, text, expected] of CASES)
    it(`is read: ${why}`, () => assert.deepEqual(declaredChain(text), expected));

  it('is the one that init wrote', () => {
    const chain = ['claude', 'codex', 'gemini'];
    const text = starterConfig({ chain, gates: [], setup: null, notes: [] });
    assert.deepEqual(declaredChain(text), chain);
  });
});
