import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../base/json.ts';
import { PLAIN_STRATEGY } from '../../context/strategy.ts';
import {
  budgetedContext,
  plannedFiles,
  scopedStrategy,
  stepFeedback,
  stepPlan,
  stepTask,
} from './step-prompt.ts';

describe('the task of a step', () => {
  const step = { id: 'implement', description: 'write the code', config: { coverage: 90 } };
  const cases: [why: string, given: Parameters<typeof stepTask>, expected: string][] = [
    [
      'is the whole task and the part of the step',
      [{ task: 'Fix it.', level: 'full' }, step],
      'Fix it.\n\nYour part is the step implement: write the code.\n\nFor this step:\ncoverage: 90',
    ],
    [
      'says it when only the core is wanted',
      [
        { task: 'Fix it.', level: 'core' },
        { id: 'implement', description: '', config: {} },
      ],
      'Fix it.\n\nYour part is the step implement.\n\nEarlier tries failed. Do only what is essential to the task, and leave edge cases and extras out.',
    ],
    [
      'is the task alone if the step is unknown',
      [{ task: 'Fix it.', level: 'full' }, undefined],
      'Fix it.',
    ],
  ];
  for (const [why, given, expected] of cases)
    test(why, () => assert.equal(stepTask(...given), expected));
});

test('each value of an earlier step is shown once, under the name of its step', () => {
  const outputs = {
    'plan.summary': 'Add a cache.',
    summary: 'Add a cache.',
    'plan.risks': ['slow'],
  };
  assert.equal(stepPlan(outputs), 'plan.summary:\nAdd a cache.\n\nplan.risks:\n[\n  "slow"\n]');
  assert.equal(stepPlan({}), undefined);
});

test('feedback says which step sent the work back, and how often the step ran', () => {
  const feedback = {
    category: 'review',
    visit: 2,
    from: 'review',
    text: 'a.ts:1 is wrong',
  } as const;
  assert.equal(
    stepFeedback(feedback),
    'The step review sent the work back. You are here for the second time.\n\na.ts:1 is wrong',
  );
  assert.equal(stepFeedback(null), undefined);
});

test('the files of a plan are targets, wherever the plan is among the values', () => {
  const components = [{ id: 'a', title: 'A', files: ['src/a.ts', 'src/b.ts'], depends_on: [] }];
  const phases: Json = [{ id: 'p', title: 'P', components, interfaces: [] }];
  assert.deepEqual(plannedFiles({ 'plan.phases': phases, phases }), ['src/a.ts', 'src/b.ts']);
  assert.deepEqual(plannedFiles({ 'plan.answer': { phases, status: 'COMPLETE' } }), [
    'src/a.ts',
    'src/b.ts',
  ]);
  assert.deepEqual(plannedFiles({ summary: 'src/c.ts', files: 7 }), []);
});

test('a step of one component does not see the rest of the project', () => {
  const common = { prepend: false };
  const strategy = {
    ...PLAIN_STRATEGY,
    steps: [
      { ...common, kind: 'pack', part: 'target_file', include: ['$TARGET'], exclude: [] },
      { ...common, kind: 'tree', part: 'tree', depth: 3 },
    ],
  } as const;
  assert.deepEqual(
    scopedStrategy(strategy, 'component').steps.map(({ part }) => part),
    ['target_file'],
  );
  assert.equal(scopedStrategy(strategy, 'project'), strategy);
});

describe('the token budget of a prompt', () => {
  const cases: [
    why: string,
    ofRole: number | null,
    ofStrategy: number | undefined,
    limits: Parameters<typeof budgetedContext>[2],
    expected: number,
  ][] = [
    ['is that of the role', 25_000, 15_000, {}, 25_000],
    ['else that of its strategy', null, 15_000, { tokensDefault: 9000 }, 15_000],
    ['else the default of the workflow', null, undefined, { tokensDefault: 9000 }, 9000],
    ['else the default of every role', null, undefined, {}, 20_000],
    ['never more than the maximum of the workflow', 25_000, undefined, { tokensMax: 8000 }, 8000],
    ['the default neither', null, undefined, { tokensMax: 8000 }, 8000],
  ];
  const context = {
    ...{ strategy: null, include: [], alwaysInclude: [], exclude: [] },
    ...{ gitDiff: false, blind: false },
  };
  for (const [why, tokenBudget, ofStrategy, limits, expected] of cases)
    test(why, () => {
      const made = budgetedContext(
        { ...context, tokenBudget },
        { tokenBudget: ofStrategy },
        limits,
      );
      assert.deepEqual(made, { ...context, tokenBudget: expected });
    });
});
