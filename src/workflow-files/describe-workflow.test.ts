import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadWorkflowText } from '../../test/support/workflow-files-fixture.ts';
import { describeAction, describeLinks, orderSteps, renderGraph } from './describe-workflow.ts';

const TEXT = `
steps:
  fix: {role: implementer_fast, next: check}
  plan: {role: planner, next: work, human_approval: true}
  work: {role: implementer, next: check}
  check: {gates: [test, lint], next: docs, on_fail: fix, max_retries: 2}
  docs: {command: "test 1 -lt \\"2\\"", required: false, next: review}
  review: {roles: [reviewer, reviewer_codex], agree: majority, on_reject: work, next: ask}
  ask: {kind: human, next: commit}
  commit: {kind: commit, pull_request: true}
initial_step: plan
hooks: {pre_commit: [lint]}`;

test('the steps are described in the order of the way forward', async () => {
  const { definition } = await loadWorkflowText('a', { 'p/a.yaml': TEXT });
  assert.deepEqual(
    orderSteps(definition).map((step) => [step.id, describeAction(step), ...describeLinks(step)]),
    [
      ['plan', 'role planner', 'you approve'],
      ['work', 'role implementer'],
      ['check', 'gate test, lint', 'if it fails: fix', 'up to 2 times'],
      ['docs', 'gate docs', 'may fail'],
      ['review', 'review by reviewer, reviewer_codex, most must approve', 'if it rejects: work'],
      ['ask', 'you decide'],
      ['commit', 'commit after gate lint, pull request'],
      ['fix', 'role implementer_fast'],
    ],
  );
});

test('the graph has a node for each step and an edge for each link', async () => {
  const { definition } = await loadWorkflowText('a', { 'p/a.yaml': TEXT });
  assert.equal(
    renderGraph(definition),
    `flowchart TD
  s1["plan<br/>role planner"]
  s2["work<br/>role implementer"]
  s3{"check<br/>gate test, lint"}
  s4{"docs<br/>gate docs"}
  s5[["review<br/>review by reviewer, reviewer_codex, most must approve"]]
  s6(["ask<br/>you decide"])
  s7(("commit<br/>commit after gate lint, pull request"))
  s8["fix<br/>role implementer_fast"]
  s1 -- you approve --> s2
  s2 --> s3
  s3 --> s4
  s3 -. fails .-> s8
  s4 --> s5
  s5 --> s6
  s5 -. rejects .-> s2
  s6 --> s7
  s8 --> s3
`,
  );
});
