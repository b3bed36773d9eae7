import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelLimits } from './model-limits.ts';

const cases: [model: string | null, limits: object | null][] = [
  ['claude-opus-5-5', { context: 1_000_000, output: 128_000 }],
  ['anthropic/claude-haiku-4-5', { context: 200_000, output: 64_000 }],
  ['a-house-model', null],
  [null, null],
];
for (const [model, limits] of cases)
  test(`D4: how much ${model ?? 'no model'} reads and writes comes from the table`, () =>
    assert.deepEqual(modelLimits(model, []), limits));
