import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApplyRequest, Approval } from '../../protocol/api.ts';
import { missingApprovals, needsApproval } from './missing-approvals.ts';

const APPROVALS: readonly Approval[] = [
  { path: '.envrc', needs: 'executing', why: '' },
  { path: 'a.test.js', needs: 'tests', why: '' },
];

describe('the refusal of an apply names every flag that it needs', () => {
  const cases: [why: string, request: ApplyRequest, flags: string][] = [
    ['those that are missing', {}, '--include-executing --include-tests'],
    [
      'also those that were given',
      { includeExecuting: true },
      '--include-executing --include-tests',
    ],
    [
      'also that the run may have failed',
      { evenIfFailed: true },
      '--include-executing --include-tests --even-if-failed',
    ],
  ];
  for (const [why, request, flags] of cases)
    test(why, () => {
      const { data } = needsApproval('a1', missingApprovals(APPROVALS, request), request);
      assert.ok(data.hint?.endsWith(`: supervisor apply a1 ${flags}`), data.hint);
    });
});
