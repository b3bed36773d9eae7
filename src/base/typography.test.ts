import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainLine, plainOption } from './typography.ts';

for (const [word, plain] of [
  ['\u2014agent', '--agent'],
  ['\u2013-gate', '--gate'],
  ['\u2013a', '-a'],
  ['\u2014agent=x', '--agent=x'],
  ['--agent', undefined],
  ['\u2014 a text', undefined],
  ['\u2014', undefined],
] as const)
  test(`the option ${word} means ${plain ?? 'nothing else'}`, () =>
    assert.equal(plainOption(word), plain));

for (const [line, plain] of [
  ['npm test \u2014\u2014grep \u201Ca b\u201D', 'npm test --grep "a b"'],
  ['\u2018npm test\u2019', "'npm test'"],
  ['npm test', undefined],
  ["grep 'it\u2019s' a.txt", undefined],
  ['make a\u2013b', undefined],
] as const)
  test(`the line ${line} means ${plain ?? 'itself'}`, () => assert.equal(plainLine(line), plain));
