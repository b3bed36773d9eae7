import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunOutcome } from '../outcome.ts';
import { describeOutcome } from './outcome-words.ts';

test('an outcome is its kind and its reason, and a stop is named once', () => {
  const cases: readonly (readonly [RunOutcome['kind'], reason: string, expected: string])[] = [
    ['failed', 'gate test failed: adds', 'failed: gate test failed: adds'],
    ['killed', 'stopped by the user during attempt 1', 'stopped by the user during attempt 1'],
    ['cancelled', 'stopped before it began', 'stopped before it began'],
    ['cancelled', 'dismissed: enough', 'cancelled: dismissed: enough'],
    ['succeeded', 'stopped the server first', 'succeeded: stopped the server first'],
  ];
  for (const [kind, reason, expected] of cases)
    assert.equal(describeOutcome({ kind, reason }), expected);
});
