/** The owner dies at its k-th write of a whole workflow, for every k. No step, gate or commit happens twice. */
import { describe } from 'node:test';
import type { RunId } from '../../src/base/ids.ts';
import { comparedWorkflow, shakyWorkflow, smallWorkflow } from '../support/workflow-performers.ts';
import type { CrashScenario } from './crash-scenarios.ts';
import { testEveryWrite } from './every-write.ts';

const approves: CrashScenario['people'] = async ({ id, open }, engine) => {
  const question = open.find(({ command }) => command === 'ask');
  if (question === undefined) return;
  await engine.signal(id as RunId, { kind: 'answer', key: question.key, answer: 'approve' });
};

describe('an owner that dies at any write of a workflow', () => {
  testEveryWrite({
    name: 'a workflow that is red once, reviewed by two, approved and committed',
    submissions: [smallWorkflow('one', 9)],
    people: approves,
  });
  testEveryWrite({
    name: 'a workflow whose step fails once, which its circuit breaker counts, approved and committed',
    submissions: [shakyWorkflow('one', 9)],
    people: approves,
  });
  testEveryWrite({
    name: 'a comparison of a workflow with and without a step, of two trials',
    submissions: [comparedWorkflow('one', 9)],
  });
});
