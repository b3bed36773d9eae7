import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApprovalDecision, ApprovalNeeds } from '../protocol/approval.ts';
import type { ApprovalObjection } from './approval-rules.ts';
import { objectionTo, requirementOf } from './approval-rules.ts';

const needs: ApprovalNeeds = {
  tier: 'medium',
  reasons: ['3 files changed'],
  peopleMin: 1,
  approvers: [],
  approvedBy: [],
};
const user: ApprovalDecision = { work: 'w1', by: null, groups: [], channel: 'terminal' };
const ada: ApprovalDecision = { ...user, by: 'ada', groups: ['security_team'] };

describe('the approval of a person', () => {
  const cases: [
    why: string,
    needs: Partial<ApprovalNeeds>,
    decision: ApprovalDecision,
    objection: ApprovalObjection['kind'] | undefined,
  ][] = [
    ['of medium risk counts without a secret', {}, user, undefined],
    ['of other work does not count', {}, { ...user, work: 'w0' }, 'work-moved'],
    ['of high risk needs a named approver', { tier: 'high' }, user, 'needs-approver'],
    ['of high risk counts from any approver if none is named', { tier: 'high' }, ada, undefined],
    ['of high risk counts by the name', { tier: 'high', approvers: ['ada'] }, ada, undefined],
    [
      'of high risk counts by a group',
      { tier: 'high', approvers: ['security_team'] },
      ada,
      undefined,
    ],
    [
      'of high risk does not count from others',
      { tier: 'high', approvers: ['bob'] },
      ada,
      'wrong-approver',
    ],
    ['of critical risk needs a named approver', { tier: 'critical' }, user, 'needs-approver'],
    [
      'of critical risk counts once from one person',
      { tier: 'critical', approvedBy: ['ada'] },
      ada,
      'approved-before',
    ],
    [
      'of critical risk counts from a second person',
      { tier: 'critical', approvedBy: ['bob'] },
      ada,
      undefined,
    ],
  ];
  for (const [why, more, decision, objection] of cases)
    test(why, () =>
      assert.equal(objectionTo({ ...needs, ...more }, 'w1', decision)?.kind, objection),
    );

  test('counts for a plan, which has no risk', () =>
    assert.equal(objectionTo(undefined, 'w1', user), undefined));

  test('that does not count says which work the person saw', () =>
    assert.equal(
      objectionTo(needs, 'fedcba9876543210', { ...user, work: '0123456789abcdef' })?.message,
      'The work has changed since you saw it: it was 0123456789ab, and it is fedcba987654 now.',
    ));
});

test('a low risk needs no person, and a critical one needs several', () => {
  const policy = {
    low: { filesMax: 2, coverageMin: 80 },
    high: { paths: [], filesOver: 20 },
    critical: { paths: [], peopleMin: 2 },
    approvers: { high: ['ada'], critical: ['ada', 'bob'] },
  } as const;
  assert.deepEqual(
    (['low', 'medium', 'high', 'critical'] as const).map((tier) => requirementOf(tier, policy)),
    [
      { peopleMin: 0, approvers: [] },
      { peopleMin: 1, approvers: [] },
      { peopleMin: 1, approvers: ['ada'] },
      { peopleMin: 2, approvers: ['ada', 'bob'] },
    ],
  );
});
