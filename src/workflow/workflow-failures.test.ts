/** Steps that fail: what is repeated, how often, in which form, and when a person decides. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { driveWorkflow } from '../../test/support/drive-workflow.ts';
import { definition, gate, role } from '../../test/support/workflow-fixture.ts';
import { workflowTable } from '../../test/support/workflow-table.ts';

const one = (more: Parameters<typeof role>[2] = {}) =>
  definition({ implement: role('coder', null, more) });
const ASK = 'asks: continue | stop';
const CONTENT = { content: 'same files' } as const;

const UNSTARTED =
  'unverified: step implement was skipped: its circuit breaker is open, because the step failed 5 times in a row, in this run or in others, the last time because: no JSON';

workflowTable('a step that fails', [
  [
    'for a passing reason is repeated after growing waits, and a person decides after the last try',
    {
      definition: one(),
      runs: { coder: [{ failure: 'network' }, { failure: 'network' }, { failure: 'network' }] },
      answers: ['stop'],
    },
    [
      ...['implement by coder', 'waits 2 s', 'implement by coder', 'waits 6 s'],
      ...['implement by coder', ASK, 'failed: implement: network'],
    ],
  ],
  [
    'because of its answer is repeated at once with feedback',
    { definition: one(), runs: { coder: [{ failure: 'invalid_output' }] } },
    [
      'implement by coder',
      'implement by coder (parsing from implement)',
      'unverified: coder is done',
    ],
  ],
  [
    'without an answer is repeated with feedback',
    { definition: one(), runs: { coder: [{ answer: null }] } },
    [
      'implement by coder',
      'implement by coder (parsing from implement)',
      'unverified: coder is done',
    ],
  ],
  [
    'with half of the work done continues with feedback',
    {
      definition: one(),
      runs: { coder: [{ answer: { status: 'PARTIAL', blockers: ['no time'] } }] },
    },
    [
      'implement by coder',
      'implement by coder (logic from implement)',
      'unverified: coder is done',
    ],
  ],
  [
    'because it is blocked asks a person, with its own words',
    {
      definition: one(),
      runs: { coder: [{ answer: { status: 'FAILED', blockers: ['the API is gone'] } }] },
      answers: ['stop'],
    },
    ['implement by coder', ASK, 'failed: implement: the API is gone'],
  ],
  [
    'to log in is never repeated',
    { definition: one(), runs: { coder: [{ failure: 'auth' }] } },
    ['implement by coder', ASK],
  ],
  [
    'for an unknown reason is repeated once',
    { definition: one(), runs: { coder: [{ failure: 'unknown' }, { failure: 'unknown' }] } },
    ['implement by coder', 'waits 2 s', 'implement by coder', ASK],
  ],
  [
    'may be repeated again if a person continues',
    {
      definition: one({ retry: { attemptsMax: 1 } }),
      runs: { coder: [{ failure: 'network' }] },
      answers: ['continue'],
    },
    [
      'implement by coder',
      ASK,
      'implement by coder (network from implement)',
      'unverified: coder is done',
    ],
  ],
  [
    'asks again if the answer has no meaning',
    { definition: one(), runs: { coder: [{ failure: 'auth' }] }, answers: ['accept', 'stop'] },
    ['implement by coder', ASK, ASK, 'failed: implement: auth'],
  ],
  [
    'that cannot be prepared asks a person',
    { definition: one(), runs: { coder: ['refused'] }, answers: ['stop'] },
    ['implement by coder', ASK, 'failed: implement: no context fits'],
  ],
  [
    'because a person stopped its run asks a person',
    {
      definition: one(),
      runs: { coder: [{ outcome: { kind: 'cancelled', reason: 'stopped by the user' } }] },
    },
    ['implement by coder', ASK],
  ],
  [
    'for good hands the work to its onFail step',
    {
      definition: definition({
        plan: role('planner', 'implement'),
        implement: role('coder', null, { onFail: 'plan', retry: { attemptsMax: 1 } }),
      }),
      runs: { coder: [{ failure: 'deadline' }] },
    },
    [
      ...['plan by planner', 'implement by coder', 'plan by planner (logic from implement)'],
      ...['implement by coder', 'unverified: coder is done'],
    ],
  ],
  [
    'and is not required is skipped, and the outcome says so',
    {
      definition: definition({
        implement: role('coder', 'extra'),
        extra: role('tester', null, { required: false, retry: { attemptsMax: 1 } }),
      }),
      runs: { tester: [{ failure: 'deadline' }] },
    },
    [
      'implement by coder',
      'extra by tester',
      'unverified: coder is done; step extra was skipped: deadline',
    ],
  ],
  [
    'is done in a simpler form if its policy says so, and the outcome says which',
    {
      definition: one({ retry: { attemptsMax: 1, whenUsedUp: 'degrade' } }),
      runs: { coder: [{ failure: 'deadline' }, { failure: 'deadline' }] },
    },
    [
      'implement by coder',
      'implement by coder, core (logic from implement)',
      'implement by coder, minimal (logic from implement)',
      'unverified: coder is done; step implement was degraded: only its minimal form is done',
    ],
  ],
  [
    'even in its simplest form has failed for good',
    {
      definition: one({ retry: { attemptsMax: 1, whenUsedUp: 'degrade' } }),
      runs: {
        coder: [{ failure: 'deadline' }, { failure: 'deadline' }, { failure: 'deadline' }],
      },
    },
    [
      'implement by coder',
      'implement by coder, core (logic from implement)',
      'implement by coder, minimal (logic from implement)',
      ASK,
    ],
  ],
  [
    'five times within five minutes opens its breaker, and one more failure opens it again',
    {
      definition: one({ retry: { attemptsMax: 9, initialMs: 1000, multiplier: 1 } }),
      runs: { coder: Array.from({ length: 6 }, () => ({ failure: 'network' }) as const) },
      answers: ['continue'],
    },
    [
      ...['implement by coder', 'waits 1 s', 'implement by coder', 'waits 2 s'],
      ...['implement by coder', 'waits 3 s', 'implement by coder', 'waits 4 s'],
      ...['implement by coder', ASK, 'implement by coder (network from implement)', ASK],
    ],
  ],
  [
    'five times over a longer time does not open its breaker',
    {
      definition: one({
        retry: { attemptsMax: 9, initialMs: 100_000, multiplier: 1, waitMaxMs: 100_000 },
      }),
      runs: { coder: Array.from({ length: 5 }, () => ({ failure: 'network' }) as const) },
    },
    [
      ...['implement by coder', 'waits 100 s', 'implement by coder', 'waits 200 s'],
      ...['implement by coder', 'waits 300 s', 'implement by coder', 'waits 400 s'],
      ...['implement by coder', 'waits 500 s', 'implement by coder', 'unverified: coder is done'],
    ],
  ],
  [
    'too often in other runs is not started, and one try of a person closes its breaker',
    { definition: one(), opened: 'implement', answers: ['continue'] },
    ['implement by coder', ASK, 'implement by coder', 'unverified: coder is done'],
  ],
  [
    'too often in other runs is tried once if a person says so, and then asks again',
    {
      definition: one({ retry: { attemptsMax: 9 } }),
      opened: 'implement',
      runs: { coder: [{ failure: 'network' }] },
      answers: ['continue'],
    },
    ['implement by coder', ASK, 'implement by coder', ASK],
  ],
  [
    'too often in other runs is skipped if it is not required',
    { definition: one({ required: false }), opened: 'implement' },
    ['implement by coder', UNSTARTED],
  ],
  [
    'and dies with its owner while the breaker counts is counted again, and decided on once',
    {
      definition: one(),
      runs: { coder: [{ failure: 'invalid_output' }] },
      dies: ['breaker-implement-1', 'breaker-implement-1.2'],
    },
    [
      'implement by coder',
      'implement by coder (parsing from implement)',
      'unverified: coder is done',
    ],
  ],
]);

const LOOP = definition({
  implement: role('coder', 'test'),
  test: gate(['test'], null, { onFail: 'implement', retry: { attemptsMax: 9 } }),
});
const BACK = 'implement by coder (logic from test)';

workflowTable('a step that leaves the same files again after feedback', [
  [
    'is told so once, and then a person decides',
    { definition: LOOP, runs: { coder: [CONTENT, CONTENT, CONTENT] }, gates: { test: ['red'] } },
    ['implement by coder', 'gate test', BACK, BACK, 'asks: continue | accept | stop'],
  ],
  [
    'continues if it then makes progress',
    { definition: LOOP, runs: { coder: [CONTENT, CONTENT] }, gates: { test: ['red'] } },
    ['implement by coder', 'gate test', BACK, BACK, 'gate test', 'succeeded: coder is done'],
  ],
  [
    'also counts if it returns to older files',
    {
      definition: LOOP,
      runs: { coder: [CONTENT, {}, CONTENT, CONTENT] },
      gates: { test: ['red', 'red'] },
    },
    [
      ...['implement by coder', 'gate test', BACK, 'gate test', BACK, BACK],
      'asks: continue | accept | stop',
    ],
  ],
]);

describe('a step that runs again', () => {
  test('starts from the work that its failed run left', () => {
    const { prepared } = driveWorkflow({
      definition: one(),
      runs: { coder: [{ failure: 'network', content: 'half' }] },
    });
    assert.deepEqual(
      prepared.map(({ work }) => work?.content),
      [undefined, 'half'],
    );
  });

  test('keeps the reason that it was sent back for, if it fails in between', () => {
    const { prepared } = driveWorkflow({
      definition: LOOP,
      runs: { coder: [{}, { failure: 'invalid_output' }, { failure: 'network' }] },
      gates: { test: ['red'] },
    });
    const texts = prepared.map(({ feedback }) => feedback?.text ?? '');
    assert.deepEqual(
      texts.map((text) => [text.includes('1 test is red'), text.includes('one JSON block')]),
      [
        [false, false],
        [true, false],
        [true, true],
        [true, true],
      ],
    );
  });

  test('is told that its files are the same', () => {
    const { prepared } = driveWorkflow({
      definition: LOOP,
      runs: { coder: [CONTENT, CONTENT] },
      gates: { test: ['red'] },
    });
    assert.match(prepared.at(-1)?.feedback?.text ?? '', /left the same files as an earlier one/);
  });

  test('leaves the work as it was if it is skipped', () => {
    const { state } = driveWorkflow({
      definition: definition({
        implement: role('coder', 'extra'),
        extra: role('tester', null, { required: false, retry: { attemptsMax: 2 } }),
      }),
      runs: {
        tester: [
          { failure: 'deadline', content: 'half' },
          { failure: 'deadline', content: 'more' },
        ],
      },
    });
    assert.equal(state.work?.content, 'run of step-implement-1 files');
  });

  test('has at most the time of its step for each attempt', () => {
    const { events } = driveWorkflow({ definition: one({ timeoutMs: 7000 }) });
    const deadlines = events.flatMap((event) =>
      event.type === 'command.begun' && event.payload.command === 'run'
        ? [(event.payload.input.submission.settings as { deadlineMs: number | null }).deadlineMs]
        : [],
    );
    assert.deepEqual(deadlines, [7000]);
  });
});
