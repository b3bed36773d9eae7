import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseStrategy } from './strategy.ts';

test('the strategy in the guide is valid', () => {
  const guide = readFileSync(new URL('../../docs/guide/context.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => text ?? '');
  assert.equal(blocks.length, 1);
  for (const text of blocks) assert.equal(parseStrategy('own', 'guide', text).steps.length, 5);
});
