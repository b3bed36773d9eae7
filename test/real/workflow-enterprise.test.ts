/**
 * The whole template `enterprise` with real CLIs of three vendors, on the strict model server. The first code fails its
 * gate and is fixed. One review rejects once. A person comments on a line and then approves. The end is one commit.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CliName } from './clis.ts';
import { isMissing } from './sandboxed-clis.ts';
import { runsOf, tracedIn, verdictsIn, WorkflowHarness } from './workflow-harness.ts';
import { COMMENT, RENAMED } from './workflow-models.ts';

const ENTERPRISE: Readonly<Record<string, CliName>> = {
  planner: 'claude',
  tech_lead: 'claude',
  implementer: 'claude',
  test_engineer: 'claude',
  security_auditor: 'claude',
  reviewer_gemini: 'gemini',
  reviewer_codex: 'codex',
};
/** From the code to both reviewers. */
const ROUND = [
  ...['implement', 'gate unit-test-gate', 'integration-tests', 'gate integration-test-gate'],
  ...['security-review', 'code-review by reviewer-gemini', 'code-review by reviewer-codex'],
];

describe('a template of a workflow with real CLIs', { timeout: 1_200_000 }, () => {
  test('enterprise, with Claude, Codex and Gemini, ends with one commit and every event', async (t) => {
    if (isMissing(t, 'claude', 'codex', 'gemini')) return;
    await using at = await WorkflowHarness.create(ENTERPRISE);
    const { user, server } = at;
    const run = await at.run('enterprise', [
      ['plan-review', 'approve'],
      ['interface-definition', 'approve'],
      ['code-review', 'comment', '--file', 'sum.mjs', '--line', '2', COMMENT],
      ['code-review', 'approve'],
      ['commit', 'approve'],
    ]);
    const facts = await user.factsOf(run);
    assert.deepEqual(tracedIn(facts), [
      ...['plan', 'plan-review', 'ask plan-review', 'interface-definition'],
      'ask interface-definition',
      ...ROUND,
      // Codex rejects, so the person is asked only after the second round, and comments.
      ...[...ROUND, 'ask code-review'],
      ...[...ROUND, 'ask code-review'],
      ...['gate ci-gate', 'gate ci-gate', 'gate ci-gate'],
      ...['gate commit', 'ask commit', 'commit commit'],
    ]);
    // The first code fails the gate, and the same conversation fixes it.
    const [first = ''] = runsOf(facts, 'implement');
    assert.deepEqual(verdictsIn(await user.factsOf(first)).slice(-2), ['failed', 'passed']);
    const branch = at.committed(run);
    assert.equal(user.git('show', `${branch}:sum.mjs`), `${RENAMED}\n`);
    assert.match(user.git('show', `${branch}:test/integration.test.mjs`), /adds large numbers/);
    await at.assertWhole(facts, ENTERPRISE);
    const wires = new Set(server.journal().map(({ wire }) => wire));
    assert.deepEqual([...wires].toSorted(), ['anthropic', 'gemini', 'openai-responses']);
  });
});
