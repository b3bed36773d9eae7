/** Gate steps of a workflow: a red one sends the work back, a bounded number of times. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PinnedGate } from '../protocol/pinned-settings.ts';
import { driveWorkflow } from '../../test/support/drive-workflow.ts';
import { command, commit, definition, gate, role } from '../../test/support/workflow-fixture.ts';
import { workflowTable } from '../../test/support/workflow-table.ts';

const pinned = (name: string, more: Partial<PinnedGate> = {}): PinnedGate => ({
  ...{ name, command: ['make', name], timeoutMs: 1000 },
  ...more,
});

const tested = (
  more: Parameters<typeof gate>[2] = {},
  gates: readonly PinnedGate[] = [pinned('test')],
) =>
  definition({
    implement: role('coder', 'test'),
    test: gate(gates, null, { onFail: 'implement', ...more }),
  });
const TROUBLE = 'asks: continue | accept | stop';
const RED = 'gate test failed: Error: 1 test is red';
const BACK = ['implement by coder (logic from test)', 'gate test'];

const SAFE = { parallelSafe: true } as const;
const BESIDE = [pinned('lint', SAFE), pinned('types', SAFE), pinned('test')];
const TOGETHER = ['gate lint', 'gate types'];

workflowTable('gates that may run side by side', [
  [
    'run together, and the one after them when all have ended',
    { definition: tested({}, BESIDE) },
    ['implement by coder', ...TOGETHER, 'gate test', 'succeeded: coder is done'],
  ],
  [
    'all run although one is red, and the next one does not',
    { definition: tested({}, BESIDE), gates: { lint: ['red'] } },
    [
      ...['implement by coder', ...TOGETHER, 'implement by coder (logic from test)'],
      ...[...TOGETHER, 'gate test', 'succeeded: coder is done'],
    ],
  ],
  [
    'count in their order: the first red one is reported, although the other ended before it',
    {
      definition: tested({ retry: { attemptsMax: 1 } }, BESIDE),
      gates: { lint: ['unable'], types: ['red'] },
      answers: ['stop'],
    },
    [
      ...['implement by coder', ...TOGETHER, TROUBLE],
      'failed: test: gate lint could not run: make is not there',
    ],
  ],
  [
    'are repeated together if the owner died, which counts once',
    { definition: tested({}, BESIDE), dies: ['gate-test-2-1', 'gate-test-2-2'] },
    ['implement by coder', ...TOGETHER, ...TOGETHER, 'gate test', 'succeeded: coder is done'],
  ],
  [
    'are repeated alone if only one had not ended',
    { definition: tested({}, BESIDE), dies: ['gate-test-2-1', 'gate-test-2-1.2'] },
    [
      ...['implement by coder', ...TOGETHER, 'gate lint', 'gate lint', 'gate test'],
      'succeeded: coder is done',
    ],
  ],
]);

workflowTable('a gate step', [
  [
    'that is red sends the work back until it is green',
    { definition: tested(), gates: { test: ['red', 'red'] } },
    ['implement by coder', 'gate test', ...BACK, ...BACK, 'succeeded: coder is done'],
  ],
  [
    'that stays red goes to a person, who ends the workflow',
    {
      definition: tested({ retry: { attemptsMax: 2 } }),
      gates: { test: ['red', 'red'] },
      answers: ['stop'],
    },
    ['implement by coder', 'gate test', ...BACK, TROUBLE, `failed: test: ${RED}`],
  ],
  [
    'that a person accepts although it is red never makes the run succeed',
    {
      definition: tested({ retry: { attemptsMax: 1 } }),
      gates: { test: ['red'] },
      answers: ['accept'],
    },
    [
      'implement by coder',
      'gate test',
      TROUBLE,
      `unverified: coder is done; 1 gate step without proof: test; accepted by ada: test: ${RED}`,
    ],
  ],
  [
    'gets as many rounds again if a person continues',
    {
      definition: tested({ retry: { attemptsMax: 2 } }),
      gates: { test: ['red', 'red', 'red'] },
      answers: ['continue'],
    },
    [
      'implement by coder',
      'gate test',
      ...BACK,
      TROUBLE,
      ...BACK,
      ...BACK,
      'succeeded: coder is done',
    ],
  ],
  [
    'is bounded by the rounds of the workflow too',
    {
      definition: {
        ...tested({ retry: { attemptsMax: 9 } }),
        limits: { stepsMax: 50, retriesMax: 3, roundsMax: 1 },
      },
      gates: { test: ['red', 'red'] },
    },
    ['implement by coder', 'gate test', ...BACK, TROUBLE],
  ],
  [
    'without a step to go back to asks a person at once',
    { definition: tested({ onFail: null }), gates: { test: ['red'] } },
    ['implement by coder', 'gate test', TROUBLE],
  ],
  [
    'whose gate blocks asks a person at once',
    { definition: tested({}, [pinned('test', { blocks: true })]), gates: { test: ['red'] } },
    ['implement by coder', 'gate test', 'asks: continue | stop'],
  ],
  [
    'whose gate protects files that the work changes asks a person at once, who cannot accept it',
    { definition: tested(), gates: { test: ['protected'] } },
    ['implement by coder', 'gate test', 'asks: continue | stop'],
  ],
  [
    'whose gate protects such files stops even if it only warns',
    {
      definition: tested({}, [pinned('lint', { warns: true }), pinned('test')]),
      gates: { lint: ['protected'] },
    },
    ['implement by coder', 'gate lint', 'asks: continue | stop'],
  ],
  [
    'whose gate asks goes to a person at once, who may accept it',
    { definition: tested({}, [pinned('test', { asks: true })]), gates: { test: ['red'] } },
    ['implement by coder', 'gate test', TROUBLE],
  ],
  [
    'that is not required is skipped when it stays red, and the outcome says so',
    {
      definition: tested({ required: false, retry: { attemptsMax: 1 } }),
      gates: { test: ['red'] },
    },
    ['implement by coder', 'gate test', `unverified: coder is done; step test was skipped: ${RED}`],
  ],
  [
    'that cannot run for the same reason twice goes to a person',
    { definition: tested(), gates: { test: ['unable', 'unable'] } },
    ['implement by coder', 'gate test', ...BACK, TROUBLE],
  ],
  [
    'runs its gates in order, and none after a red one',
    {
      definition: tested({}, [pinned('lint', { warns: true }), pinned('test'), pinned('slow')]),
      gates: { lint: ['red', 'red'], test: ['red'] },
    },
    [
      ...['implement by coder', 'gate lint', 'gate test'],
      ...['implement by coder (logic from test)', 'gate lint', 'gate test', 'gate slow'],
      'succeeded: coder is done',
    ],
  ],
  [
    'that was interrupted runs again, and counts as no round',
    {
      definition: tested({ retry: { attemptsMax: 1 } }),
      dies: ['gate-test-2-1', 'gate-test-2-1.2'],
    },
    ['implement by coder', 'gate test', 'gate test', 'gate test', 'succeeded: coder is done'],
  ],
  [
    'that is interrupted again and again ends the workflow',
    {
      definition: tested(),
      dies: ['gate-test-2-1', 'gate-test-2-1.2', 'gate-test-2-1.3'],
    },
    [
      ...['implement by coder', 'gate test', 'gate test', 'gate test'],
      'exhausted: gate of step test was interrupted 3 times because the owner process died',
    ],
  ],
]);

workflowTable('the gates before a commit', [
  [
    'send the work back to the step that wrote it',
    {
      definition: definition({
        implement: role('coder', 'commit'),
        commit: commit({ before: [pinned('lint')] }),
      }),
      gates: { lint: ['red'] },
    },
    [
      ...['implement by coder', 'gate lint', 'implement by coder (logic from commit)', 'gate lint'],
      'commits on ai/t7-add-a-date-parser',
      'succeeded: coder is done; committed as c0ffee on ai/t7-add-a-date-parser',
    ],
  ],
  [
    'that a person accepts although they are red leave the work unverified',
    {
      definition: definition(
        { implement: role('coder', 'commit'), commit: commit({ before: [pinned('lint')] }) },
        { limits: { roundsMax: 0 } },
      ),
      gates: { lint: ['red'] },
      answers: ['accept'],
    },
    [
      ...['implement by coder', 'gate lint', TROUBLE, 'commits on ai/t7-add-a-date-parser'],
      'unverified: coder is done; committed as c0ffee on ai/t7-add-a-date-parser; accepted by ada: commit: gate lint failed: Error: 1 test is red',
    ],
  ],
]);

workflowTable('a commit', [
  [
    'that is refused asks a person, and the work stays on its ref',
    {
      definition: definition({ implement: role('coder', 'commit'), commit: commit() }),
      commits: [{ kind: 'refused', why: 'The branch has moved.', ref: 'refs/work' }],
      answers: ['stop'],
    },
    [
      ...['implement by coder', 'commits on ai/t7-add-a-date-parser', 'asks: continue | stop'],
      'failed: commit: The branch has moved. The work is on refs/work',
    ],
  ],
  [
    'that was interrupted is made again',
    {
      definition: definition({ implement: role('coder', 'commit'), commit: commit() }),
      dies: ['commit-commit-2'],
    },
    [
      ...[
        'implement by coder',
        'commits on ai/t7-add-a-date-parser',
        'commits on ai/t7-add-a-date-parser',
      ],
      'unverified: coder is done; committed as c0ffee on ai/t7-add-a-date-parser',
    ],
  ],
]);

test('a step that gets red work back reads the output of the gate', () => {
  const { prepared } = driveWorkflow({ definition: tested(), gates: { test: ['red'] } });
  const feedback = prepared.at(-1)?.feedback;
  assert.deepEqual([feedback?.visit, feedback?.from, feedback?.category], [2, 'test', 'logic']);
  assert.match(feedback?.text ?? '', /runs for the 2nd time/);
  assert.match(feedback?.text ?? '', /Error: 1 test is red/);
  assert.match(feedback?.text ?? '', /answer with the status FAILED and name the blockers/);
});

test('a gate never runs a word of an answer', () => {
  const { gates } = driveWorkflow({
    definition: definition({
      implement: role('coder', 'test', { outputs: { what: 'summary' } }),
      test: gate([pinned('test', { command: ['make', '${what}'] })], null),
    }),
  });
  assert.deepEqual(
    gates.map((one) => one.command),
    [['make', '${what}']],
  );
});

test('a gate that depends on a red one is told not to run', () => {
  const { gates } = driveWorkflow({
    definition: tested({}, [
      pinned('lint', { warns: true }),
      pinned('test', { dependsOn: ['lint'] }),
      pinned('slow', { dependsOn: ['test'] }),
      pinned('size', { dependsOn: ['lint'], runsAfterRed: true }),
    ]),
    gates: { lint: ['red'] },
  });
  assert.deepEqual(
    gates.map(({ name, skippedFor }) => [name, skippedFor]),
    [
      ['lint', undefined],
      ['test', 'lint'],
      ['slow', undefined],
      ['size', undefined],
    ],
  );
});

test('a command may change only the files that its step names', () => {
  const { gates } = driveWorkflow({
    definition: definition({
      plan: role('planner', 'docs', { outputs: { part: 'summary' } }),
      docs: command(['make', 'docs', '${plan.part}'], null, { allowedWrites: ['docs/**'] }),
    }),
  });
  assert.deepEqual(
    gates.map(({ command, allowedWrites }) => ({ command, allowedWrites })),
    [{ command: ['make', 'docs', 'planner is done'], allowedWrites: ['docs/**'] }],
  );
});

test('what a command has written is part of the work, which earlier gates judge again', () => {
  const { trace, gates, state } = driveWorkflow({
    definition: definition({
      implement: role('coder', 'check'),
      check: gate(['test'], 'docs'),
      docs: command(['make', 'docs'], null, { allowedWrites: ['docs/**'] }),
    }),
    gates: { docs: ['writes'] },
  });
  assert.deepEqual(trace, [
    ...['implement by coder', 'gate test', 'gate docs', 'gate test'],
    'succeeded: coder is done',
  ]);
  assert.deepEqual(
    gates.map(({ keepsWrites, work }) => [keepsWrites, work?.content]),
    [
      [undefined, 'run of step-implement-1 files'],
      [true, 'run of step-implement-1 files'],
      [undefined, 'docs wrote it'],
    ],
  );
  assert.deepEqual([state.work?.content, state.size?.files], ['docs wrote it', 2]);
});
