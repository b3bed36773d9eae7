import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import type { RunStatus } from './run-status.ts';
import type { Shown } from './run-groups.ts';
import type { Instruction } from './instructions.ts';
import { takes } from './instructions.ts';

const ALL: readonly Instruction[] = ['pause', 'unpause', 'retry-now', 'next', 'stop', 'kill'];

function shown(status: RunStatus, hasEnded = false): Pick<Shown, 'board' | 'status'> {
  const outcome = hasEnded ? ({ kind: 'failed', reason: '' } as const) : null;
  const view = runViewFixture({ outcome });
  return { status, board: { row: { view, reason: null, applied: null }, bars: [] } };
}

test('an instruction goes only to runs that it means something to', () => {
  const cases: readonly [status: RunStatus, hasEnded: boolean, takes: string][] = [
    ['running', false, 'pause next stop kill'],
    ['paused', false, 'unpause next stop kill'],
    ['cooling', false, 'pause retry-now next stop kill'],
    ['failed', true, ''],
  ];
  for (const [status, hasEnded, expected] of cases)
    assert.equal(
      ALL.filter((one) => takes(one, shown(status, hasEnded))).join(' '),
      expected,
      status,
    );
});
