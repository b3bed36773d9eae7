import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { withHeldCalls } from './held-calls.ts';

const NOW = 30_000;
const heldCall: RunView['heldCall'] = {
  ...{ model: 'opus', cause: 'rate-limit', status: 429, message: '' },
  ...{ heldAt: 0, until: 50_000 },
};
const feature = runViewFixture({ id: 'feature', children: 1 });
const workflow = runViewFixture({ id: 'workflow', parent: 'feature', children: 2 });
const step = runViewFixture({ id: 'step', parent: 'workflow', heldCall });

describe('a model call that is held', () => {
  const rows: [why: string, view: RunView, active: readonly RunView[], held: unknown][] = [
    ['is shown in the workflow of its step', workflow, [workflow, step], heldCall],
    ['is shown above that workflow', feature, [feature, workflow, step], heldCall],
    [
      'is not shown when its time has come',
      workflow,
      [runViewFixture({ ...step, heldCall: { ...heldCall, until: NOW } })],
      null,
    ],
    ['is not shown in another run', runViewFixture({ id: 'other' }), [workflow, step], null],
    [
      'of another long-lived agent is not shown by its parent',
      workflow,
      [{ ...step, program: 'agent' }],
      null,
    ],
    [
      'is not shown in a run that has ended',
      { ...workflow, outcome: { kind: 'failed', reason: '' } },
      [step],
      null,
    ],
  ];
  for (const [why, view, active, held] of rows)
    test(why, () => assert.deepEqual(withHeldCalls([view], active, NOW)[0]?.heldCall, held));
});
