import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VisitNames } from './visit-names.ts';

test('a command of a workflow has the name of its step in the file, and the number of the visit', () => {
  const names = new VisitNames(['plan', 'implement', 'quick_review', 'test-2', 'approve']);
  const table = [
    ['prepare-plan-1', 'plan#1'],
    ['step-plan-1', 'plan#1'],
    ['step-implement-2', 'implement#1'],
    ['wait-implement-1', 'implement#1'],
    ['step-quick-review-3-1-reviewer', 'quick_review#1 (reviewer)'],
    ['step-quick-review-3-2-auditor.2', 'quick_review#1 (auditor)'],
    ['step-implement-4', 'implement#2'],
    ['step-implement-4.2', 'implement#2'],
    ['ask-implement-1', 'implement#2'],
    ['gate-test-2-5-1', 'test-2#1'],
    ['gate-test-2-6-1', 'test-2#2'],
    ['ask-approve-1', 'approve#1'],
    ['ask-approve-3', 'approve#2'],
    ['attempt-1', undefined],
  ] as const;
  for (const [key, name] of table) assert.equal(names.nameOfPart(key), name, key);
});
