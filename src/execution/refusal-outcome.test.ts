import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../base/errors.ts';
import type { RefusalCode } from '../base/errors.ts';
import { startRefused } from './refusal-outcome.ts';

test('a refusal of the project concerns the run, and any other refusal only the agent', () => {
  const cases: readonly (readonly [RefusalCode, string])[] = [
    ['workspace.too-large', 'workspace_denied'],
    ['workspace.unsupported', 'workspace_denied'],
    ['workspace.busy', 'start_refused'],
    ['agent.no-key', 'start_refused'],
  ];
  for (const [code, reason] of cases)
    assert.deepEqual(startRefused(new Refusal({ code, message: 'It is so.', hint: 'Do this.' })), {
      kind: 'failed',
      reason,
      message: 'It is so. Do this.',
      refusal: code,
    });
});
