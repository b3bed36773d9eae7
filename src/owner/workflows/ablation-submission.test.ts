import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { seededRandom } from '../../base/random.ts';
import type { AblateRequest } from '../../protocol/views/ablation-view.ts';
import type { WorkflowDefinition } from '../../protocol/workflow-definition.ts';
import {
  commit,
  definition,
  gate,
  human,
  review,
  role,
  workflowSubmission,
} from '../../../test/support/workflow-fixture.ts';
import { loadWorkflowText } from '../../../test/support/workflow-files-fixture.ts';
import { ablationSubmission } from './ablation-submission.ts';
import { planTrials } from './plan-trials.ts';
import { judgeGates, unattended } from './unattended.ts';

const CI = { name: 'ci', command: ['make', 'ci'], timeoutMs: 1000 };
const WHOLE = definition({
  plan: role('planner', 'implement', { humanApproval: true }),
  implement: role('coder', 'test'),
  test: gate(['test', { name: 'hint', command: ['x'], timeoutMs: 1, warns: true }], 'review', {
    onFail: 'implement',
  }),
  review: review(['ann'], 'look', { onReject: 'implement' }),
  look: human('commit'),
  commit: commit({ before: [CI] }),
});

function chainOf({ initialStep, steps }: WorkflowDefinition): string {
  const way: string[] = [];
  for (let at: string | null = initialStep; at !== null; at = steps[at]?.next ?? null)
    way.push(`${at} ${steps[at]?.kind}`);
  return way.join(', ');
}

describe('a workflow without people', () => {
  const plain = unattended(WHOLE, 'test (trial)');

  test('has no people and no commit, and keeps the gates before the commit', () =>
    assert.equal(
      chainOf(plain),
      'plan role, implement role, test gate, review review, commit gate',
    ));

  test('asks for no approval', () =>
    assert.ok(Object.values(plain.steps).every(({ humanApproval }) => !humanApproval)));

  test('ends before a commit without gates', () => {
    const bare = definition({ implement: role('coder', 'commit'), commit: commit() });
    assert.equal(chainOf(unattended(bare, 'x')), 'implement role');
  });

  test('is judged by each gate that decides, once', () =>
    assert.deepEqual(
      judgeGates(WHOLE).map(({ name }) => name),
      ['test', 'ci'],
    ));
});

describe('the trials', () => {
  const planned = planTrials(3, 2, seededRandom(7));

  test('are two for each task and round, one of each arm, next to each other', () => {
    const pairs = Array.from({ length: 6 }, (_, nth) => planned.slice(2 * nth, 2 * nth + 2));
    const keys = pairs.map(([one, other]) => {
      assert.deepEqual([one?.task, one?.round], [other?.task, other?.round]);
      assert.notEqual(one?.arm, other?.arm);
      return `${one?.task} ${one?.round}`;
    });
    assert.deepEqual(keys.toSorted(), ['0 1', '0 2', '1 1', '1 2', '2 1', '2 2']);
  });

  test('have the same order for the same seed, and another for another', () => {
    assert.deepEqual(planTrials(3, 2, seededRandom(7)), planned);
    assert.notDeepEqual(planTrials(3, 2, seededRandom(8)), planned);
  });
});

const FILE = `
description: x
steps:
  plan: { role: planner, next: implement }
  implement: { role: implementer, next: check }
  check: { gates: [test], next: review, on_fail: implement }
  review: { role: reviewer, next: look, on_reject: implement }
  look: { kind: human, required: true, next: docs }
  docs: { role: implementer, required: true }
`;

const REQUEST: AblateRequest = {
  project: '/p',
  template: 'own',
  without: 'review',
  tasks: ['a', 'b'],
  runs: 2,
  seed: 1,
  set: [],
};

function submitted(more: Partial<AblateRequest>, text = FILE) {
  return ablationSubmission(
    { ...REQUEST, ...more },
    {
      load: async (template, without) => {
        const files = { 'p/own.yaml': text };
        return (await loadWorkflowText(template, files, without === undefined ? {} : { without }))
          .definition;
      },
      submit: async (_request, one) => workflowSubmission(one),
      findCommit: async (name) => (name === 'v1' ? '1'.repeat(40) : undefined),
    },
  );
}

describe('a request for a comparison', () => {
  test('pins both arms, the judges and the order', async () => {
    const { program, settings } = await submitted({});
    const { arms, gates, trials, template, step } = settings.ablation;
    assert.deepEqual(
      [program, template, step, trials.length, gates.map(({ name }) => name)],
      ['ablation', 'own', 'review', 8, ['test']],
    );
    const names = Object.values(arms).map((arm) => arm.definition.name);
    assert.deepEqual(names, ['own (trial)', 'own (trial without review)']);
    assert.deepEqual(Object.keys(arms.without.definition.steps), [
      'plan',
      'implement',
      'check',
      'docs',
    ]);
  });

  test('pins the commit of each task that names one', async () => {
    const tasks = ['a', { task: 'b', base: 'v1' }];
    const { settings } = await submitted({ tasks });
    const { tasks: words, bases } = settings.ablation;
    assert.deepEqual(
      [words, bases],
      [
        ['a', 'b'],
        [null, '1'.repeat(40)],
      ],
    );
    assert.equal('bases' in (await submitted({})).settings.ablation, false);
  });

  const refused: [why: string, more: Partial<AblateRequest>, message: RegExp, text?: string][] = [
    ['an unknown step', { without: 'reviw' }, /has no step "reviw" \(did you mean "review"\?\)/],
    [
      'a step that work goes back to',
      { without: 'implement' },
      /implement cannot be left out of own: check, review may send work back to it/,
    ],
    [
      'a required step',
      { without: 'docs' },
      /^docs cannot be left out of own: the step docs is required/,
    ],
    ['a step for people', { without: 'look' }, /Trials ask no person/],
    ['an unknown workflow', { template: 'owm' }, /no workflow is called "owm"/],
    [
      'an unknown commit',
      { tasks: ['a', { task: 'b', base: 'v7' }] },
      /^The base of task 2, "v7", names no commit of the project/,
    ],
    ['too many trials', { runs: 100 }, /2 tasks and --runs 100 are 400 trials/],
    [
      'a workflow without a judge',
      {},
      /runs no gate of this project/,
      'description: x\nsteps: { a: { role: implementer, next: review }, review: { role: reviewer } }',
    ],
  ];
  for (const [why, more, message, text] of refused)
    test(`is refused for ${why}`, async () => {
      await assert.rejects(submitted(more, text), (error) => {
        assert.ok(isRefusal(error));
        assert.match(error.message, message);
        return true;
      });
    });
});
