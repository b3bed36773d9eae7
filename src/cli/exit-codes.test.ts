import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunOutcome } from '../protocol/outcome.ts';
import type { RefusalCode } from '../base/errors.ts';
import { refusalExitCode, exitCodeOf } from './exit-codes.ts';

test('each outcome of a run has its exit code', () => {
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

test('a usage error exits with 2, and a refusal because of the current state with 1', () => {
  const codes: [code: RefusalCode, expected: number][] = [
    ['usage.invalid', 2],
    ['request.invalid', 2],
    ['config.invalid', 2],
    ['config.unreadable', 2],
    ['agent.unknown', 2],
    ['agent.not-found', 1],
    ['agent.name-taken', 1],
    ['agent.ended', 1],
    ['agent.too-many', 1],
    ['agent.grant-too-wide', 1],
    ['run.not-found', 1],
    ['run.asks-nothing', 1],
    ['owner.closing', 1],
    ['request.key-reused', 2],
    ['request.outcome-unknown', 75],
    ['workspace.needs-approval', 3],
  ];
  assert.deepEqual(
    codes.map(([code]) => [code, refusalExitCode(code)]),
    codes,
  );
});
