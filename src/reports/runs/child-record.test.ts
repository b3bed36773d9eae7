import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChildRecord } from './child-record.ts';
import { childNames } from './child-record.ts';

const STEPS = ['plan', 'implement', 'quick_review', 'test-2'];

test('the run of a step is named by the visit of that step, as checkpoints name it', () => {
  const table = [
    ['step-plan-1', 'step plan#1'],
    ['step-implement-2', 'step implement#1'],
    ['step-quick-review-3-1-reviewer', 'step quick_review#1'],
    ['step-quick-review-3-2-auditor', 'step quick_review#1'],
    ['step-implement-4', 'step implement#2'],
    ['step-implement-4.2', 'step implement#2'],
    ['step-test-2-5', 'step test-2#1'],
    ['trial-1', 'trial-1'],
  ] as const;
  const children = table.map(([key]) => ({ key }) as ChildRecord);
  assert.deepEqual([...childNames(children, STEPS)], table);
});
