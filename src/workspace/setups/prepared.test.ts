import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ruleFor } from './prepared.ts';

const cases: [path: string, rule: string][] = [
  ['node_modules', '/node_modules'],
  ['web/.venv', '/web/.venv'],
  ['a*b?[c]', String.raw`/a\*b\?\[c\]`],
  ['!not #this', String.raw`/\!not \#this`],
  ['ends in space ', String.raw`/ends in space\ `],
  [String.raw`back\slash`, String.raw`/back\\slash`],
];
for (const [path, rule] of cases)
  test(`an ignore rule for ${JSON.stringify(path)} alone`, () => assert.equal(ruleFor(path), rule));
