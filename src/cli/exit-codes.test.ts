import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunOutcome } from '../protocol/outcome.ts';
import { exitCodeOf } from './exit-codes.ts';

test('a shell can tell from the code how a run ended', () => {
  const kinds = RunOutcome.shape.kind.options;
  assert.deepEqual(
    Object.fromEntries(kinds.map((kind) => [kind, exitCodeOf({ kind, reason: '' })])),
    {
      succeeded: 0,
      unverified: 0,
      failed: 1,
      refused: 1,
      exhausted: 1,
      blocked: 1,
      cancelled: 130,
      killed: 137,
    },
  );
});
