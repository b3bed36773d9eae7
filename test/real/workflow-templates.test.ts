/**
 * Whole templates of workflows with real gates and commits. Real CLIs in sandboxes, on the strict model server, play one
 * or two of the roles, and a program plays the rest.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CliName } from './clis.ts';
import { isMissing } from './sandboxed-clis.ts';
import type { Reply } from './workflow-harness.ts';
import { tracedIn, WorkflowHarness } from './workflow-harness.ts';

const CI = ['gate ci-gate', 'gate ci-gate', 'gate ci-gate'];
const COMMIT = ['gate commit', 'ask commit', 'commit commit'];
/** From the code to both audits. */
const AUDITED = [
  ...['implement', 'gate unit-test-gate', 'integration-tests', 'gate integration-test-gate'],
  ...['penetration-test', 'security-review by security-auditor'],
  'security-review by security-auditor-external',
];

type Template = readonly [
  name: string,
  real: Readonly<Record<string, CliName>>,
  replies: readonly Reply[],
  trace: readonly string[],
  outcome: RegExp,
];

const COMMITTED = /; committed as [0-9a-f]{10} on ai\/[0-9a-f]{6}-write-add$/;

const TEMPLATES: readonly Template[] = [
  [
    'mvp',
    { implementer_fast: 'codex', reviewer_codex: 'codex' },
    [['commit', 'approve']],
    [
      'plan',
      ...['implement', 'gate test-gate', 'quick-review'],
      ...['implement', 'gate test-gate', 'quick-review'],
      ...COMMIT,
    ],
    COMMITTED,
  ],
  [
    'with_test_engineer',
    { test_engineer: 'claude' },
    [['commit', 'approve']],
    [
      ...['plan', 'implement', 'gate unit-test-gate'],
      ...['integration-tests', 'gate integration-test-gate'],
      ...['review by reviewer-gemini', 'review by reviewer-codex'],
      // The first gate has not seen the new tests.
      ...['gate unit-test-gate', ...COMMIT],
    ],
    COMMITTED,
  ],
  [
    'open_source',
    { implementer: 'codex' },
    [
      ['commit', 'approve'],
      ['await-review', 'approve'],
    ],
    [
      ...['plan', 'implement', 'gate test-gate', 'gate docs-check'],
      ...[...COMMIT, 'ask await-review'],
    ],
    /-write-add, pull request https:\/\/example\.test\/pull\/7$/,
  ],
  [
    'security_critical',
    { security_auditor: 'gemini', test_engineer: 'codex' },
    [
      ...['plan-review', 'interface-definition', 'security-review', 'code-review', 'commit'].map(
        (step) => [step, 'approve'] as const,
      ),
    ],
    [
      ...['plan', 'plan-review', 'ask plan-review', 'threat-modeling'],
      ...['interface-definition', 'ask interface-definition'],
      // The second auditor rejects code without a comment.
      ...[...AUDITED, ...AUDITED, 'ask security-review'],
      ...['code-review by reviewer-gemini', 'code-review by reviewer-codex', 'ask code-review'],
      ...[...CI, ...COMMIT],
    ],
    COMMITTED,
  ],
];

describe('a template of a workflow with real CLIs', { timeout: 1_200_000 }, () => {
  for (const [name, real, replies, trace, outcome] of TEMPLATES) {
    const clis = [...new Set(Object.values(real))];
    test(`${name}, with ${clis.join(' and ')}, ends with one commit`, async (t) => {
      if (isMissing(t, ...clis)) return;
      await using at = await WorkflowHarness.create(real);
      const run = await at.run(name, replies);
      const facts = await at.user.factsOf(run);
      assert.deepEqual(tracedIn(facts), trace);
      await at.assertWhole(facts, real);
      assert.match((await at.user.client.run(run)).outcome?.reason ?? '', outcome);
      at.committed(run);
    });
  }
});
