/** Approvals in a workflow, as tables of sentences. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorkflowScript } from '../../test/support/drive-workflow.ts';
import { driveWorkflow } from '../../test/support/drive-workflow.ts';
import { commit, definition, gate, human, role } from '../../test/support/workflow-fixture.ts';
import type { ApprovalPolicy } from '../protocol/approval.ts';

const approvals: ApprovalPolicy = {
  low: { filesMax: 2, coverageMin: 80 },
  high: { paths: [], filesOver: 20 },
  critical: { paths: [], peopleMin: 2 },
  approvers: { high: ['leads'], critical: ['leads', 'security'] },
};
const APPROVED = definition({
  implement: role('coder', 'test'),
  test: gate(['test'], 'finish', { onFail: 'implement', humanApproval: true }),
  finish: role('planner', null),
});
const PLANNED = definition({ plan: role('planner', null, { humanApproval: true }) });
const PERSON = definition({ implement: role('coder', 'look'), look: human(null) });
const COMMITTED = definition(
  { implement: role('coder', 'commit'), commit: commit() },
  { git: { autoCommit: false } },
);
const HOUR = 3_600_000;
const DENIES: ApprovalPolicy = {
  ...approvals,
  timeouts: { critical: { afterMs: HOUR, onTimeout: 'deny' } },
};
const ada = { answer: 'approve', by: 'ada' };
const bob = { answer: 'approve', by: 'bob' };
const ASKED = 'asks: approve | reject | send-back';
const BEGIN = ['implement by coder', 'gate test', 'assesses the risk, gates green'];

const rows: readonly (readonly [why: string, script: WorkflowScript, trace: readonly string[]])[] =
  [
    [
      'of low risk passes by itself, and the outcome says so',
      { definition: APPROVED, approvals },
      [
        ...BEGIN,
        'finish by planner',
        'succeeded: coder is done; step test was approved by the policy, because its risk is low: it is low',
      ],
    ],
    [
      'is assessed with what its green gates do not prove',
      { definition: APPROVED, approvals, gates: { test: ['weak'] } },
      [
        'implement by coder',
        'gate test',
        'assesses the risk, gates green; with the tests of the base, gate test failed: adds',
        'finish by planner',
        'succeeded: coder is done; step test was approved by the policy, because its risk is low: it is low',
      ],
    ],
    [
      'is assessed without the limits of gates that judged earlier work',
      {
        definition: APPROVED,
        approvals,
        gates: { test: ['weak'] },
        risks: ['medium'],
        answers: ['send-back'],
      },
      [
        'implement by coder',
        'gate test',
        'assesses the risk, gates green; with the tests of the base, gate test failed: adds',
        `${ASKED} (medium risk, 0 of 1)`,
        'implement by coder (person from test)',
        'gate test',
        'assesses the risk, gates green',
        'finish by planner',
        'succeeded: coder is done; step test was approved by the policy, because its risk is low: it is low',
      ],
    ],
    [
      'of medium risk waits for a person',
      { definition: APPROVED, approvals, risks: ['medium'], answers: ['approve'] },
      [...BEGIN, `${ASKED} (medium risk, 0 of 1)`, 'finish by planner', 'succeeded: coder is done'],
    ],
    [
      'of high risk waits for a named person, and asks again if none is named',
      { definition: APPROVED, approvals, risks: ['high'], answers: ['approve', ada] },
      [
        ...BEGIN,
        `${ASKED} (high risk, 0 of 1 of leads)`,
        `${ASKED} (high risk, 0 of 1 of leads)`,
        'finish by planner',
        'succeeded: coder is done',
      ],
    ],
    [
      'of critical risk needs two different people',
      { definition: APPROVED, approvals, risks: ['critical'], answers: [ada, ada, bob] },
      [
        ...BEGIN,
        `${ASKED} (critical risk, 0 of 2 of leads, security)`,
        `${ASKED} (critical risk, 1 of 2 of leads, security)`,
        `${ASKED} (critical risk, 1 of 2 of leads, security)`,
        'finish by planner',
        'succeeded: coder is done',
      ],
    ],
    [
      'of critical risk ends with the first person who rejects it',
      { definition: APPROVED, approvals, risks: ['critical'], answers: [ada, 'reject: no'] },
      [
        ...BEGIN,
        `${ASKED} (critical risk, 0 of 2 of leads, security)`,
        `${ASKED} (critical risk, 1 of 2 of leads, security)`,
        'failed: a person rejected the work at step test: no',
      ],
    ],
    [
      'is assessed again after it was sent back, and earlier approvals do not count',
      {
        definition: APPROVED,
        approvals,
        risks: ['critical', 'critical'],
        answers: [ada, 'send-back: rename it', ada, bob],
      },
      [
        ...BEGIN,
        `${ASKED} (critical risk, 0 of 2 of leads, security)`,
        `${ASKED} (critical risk, 1 of 2 of leads, security)`,
        'implement by coder (person from test)',
        ...BEGIN.slice(1),
        `${ASKED} (critical risk, 0 of 2 of leads, security)`,
        `${ASKED} (critical risk, 1 of 2 of leads, security)`,
        'finish by planner',
        'succeeded: coder is done',
      ],
    ],
    [
      'whose risk cannot be assessed counts as one of high risk',
      { definition: APPROVED, approvals, risks: ['defect'], answers: [ada] },
      [
        ...BEGIN,
        `${ASKED} (high risk, 0 of 1 of leads)`,
        'finish by planner',
        'succeeded: coder is done',
      ],
    ],
    [
      'is assessed again if the owner died meanwhile',
      {
        definition: APPROVED,
        approvals,
        risks: ['medium'],
        answers: ['approve'],
        dies: ['assess-test-1'],
      },
      [
        ...BEGIN,
        'assesses the risk, gates green',
        `${ASKED} (medium risk, 0 of 1)`,
        'finish by planner',
        'succeeded: coder is done',
      ],
    ],
    [
      'of a plan has no risk, and any person approves it',
      { definition: PLANNED, approvals, answers: ['approve'] },
      ['plan by planner', ASKED, 'unverified: every step is done'],
    ],
    [
      'at a step for a person is asked about even if its risk is low',
      { definition: PERSON, approvals, answers: ['approve'] },
      [
        'implement by coder',
        'assesses the risk, gates none',
        `${ASKED} (low risk, 0 of 1)`,
        'unverified: coder is done',
      ],
    ],
    [
      'before a commit is asked about even if its risk is low',
      { definition: COMMITTED, approvals, answers: ['approve'] },
      [
        'implement by coder',
        'assesses the risk, gates none',
        `${ASKED} (low risk, 0 of 1)`,
        'commits on ai/t7-add-a-date-parser',
        'unverified: coder is done; committed as c0ffee on ai/t7-add-a-date-parser',
      ],
    ],
    [
      'is assessed with the coverage of its gate, the lower of all lines and the changed ones',
      {
        definition: APPROVED,
        approvals,
        coverage: { test: { percent: 91, changedPercent: 70 } },
        risks: ['medium'],
      },
      [
        ...['implement by coder', 'gate test', 'assesses the risk, gates green, coverage 70'],
        `${ASKED} (medium risk, 0 of 1)`,
      ],
    ],
    [
      'is assessed with the changed files that its coverage says nothing about',
      {
        definition: APPROVED,
        approvals,
        coverage: { test: { percent: 91, unlisted: ['src/new.ts'] } },
        risks: ['medium'],
      },
      [
        'implement by coder',
        'gate test',
        'assesses the risk, gates green, coverage 91, without src/new.ts',
        `${ASKED} (medium risk, 0 of 1)`,
      ],
    ],
    [
      'is not assessed with the coverage of other work',
      {
        definition: definition({
          implement: role('coder', 'test'),
          test: gate(['test'], 'finish', { onFail: 'implement' }),
          finish: role('coder', null, { humanApproval: true }),
        }),
        approvals,
        coverage: { test: { percent: 91 } },
        risks: ['medium'],
      },
      [
        ...['implement by coder', 'gate test', 'finish by coder'],
        ...['assesses the risk, gates red', `${ASKED} (medium risk, 0 of 1)`],
      ],
    ],
    [
      'that is late is parked: it stays open, and a person may still decide',
      {
        definition: APPROVED,
        approvals: { ...approvals, timeouts: { medium: { afterMs: HOUR, onTimeout: 'park' } } },
        risks: ['medium'],
        late: ['ask-test-1'],
        answers: ['approve'],
      },
      [
        ...BEGIN,
        `${ASKED} (medium risk, 0 of 1) until 60 min`,
        `${ASKED} (medium risk, 0 of 1), parked`,
        'finish by planner',
        'succeeded: coder is done',
      ],
    ],
    [
      'that is parked stays open without an end',
      {
        definition: APPROVED,
        approvals: { ...approvals, timeouts: { medium: { afterMs: HOUR, onTimeout: 'park' } } },
        risks: ['medium'],
        late: ['ask-test-1'],
      },
      [
        ...BEGIN,
        `${ASKED} (medium risk, 0 of 1) until 60 min`,
        `${ASKED} (medium risk, 0 of 1), parked`,
      ],
    ],
    [
      'that is late is rejected if the policy denies it',
      { definition: APPROVED, approvals: DENIES, risks: ['critical'], late: ['ask-test-1'] },
      [
        ...BEGIN,
        `${ASKED} (critical risk, 0 of 2 of leads, security) until 60 min`,
        'failed: the work was rejected by timeout at step test: no person decided within 1h00m',
      ],
    ],
    [
      'of two people has one time limit: the first approval does not extend it',
      {
        definition: APPROVED,
        approvals: DENIES,
        risks: ['critical'],
        answers: [ada],
        late: ['ask-test-2'],
      },
      [
        ...BEGIN,
        `${ASKED} (critical risk, 0 of 2 of leads, security) until 60 min`,
        `${ASKED} (critical risk, 1 of 2 of leads, security) until 60 min`,
        'failed: the work was rejected by timeout at step test: no person decided within 1h00m',
      ],
    ],
    [
      'has the time limit of its own tier only',
      { definition: APPROVED, approvals: DENIES, risks: ['high'] },
      [...BEGIN, `${ASKED} (high risk, 0 of 1 of leads)`],
    ],
    [
      'has a new time limit when the work is another one',
      {
        definition: APPROVED,
        approvals: DENIES,
        risks: ['critical', 'critical'],
        answers: ['send-back: rename it'],
      },
      [
        ...BEGIN,
        `${ASKED} (critical risk, 0 of 2 of leads, security) until 60 min`,
        'implement by coder (person from test)',
        ...BEGIN.slice(1),
        `${ASKED} (critical risk, 0 of 2 of leads, security) until 61 min`,
      ],
    ],
  ];

describe('the approval of a change', () => {
  for (const [why, script, expected] of rows)
    test(why, () => assert.deepEqual(driveWorkflow(script).trace, expected));
});
