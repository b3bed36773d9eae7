import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LongLivedSettings } from '../protocol/long-lived-agent.ts';
import type { AgentScript } from '../../test/support/drive-agent.ts';
import { driveAgent } from '../../test/support/drive-agent.ts';
import type { GateOutcome } from '../protocol/contracts/gate-contract.ts';

type Row = readonly [why: string, script: AgentScript, expected: readonly string[]];

function table(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    for (const [why, script, expected] of rows)
      test(why, () => assert.deepEqual(driveAgent(script).trace, expected));
  });
}

const commitments: LongLivedSettings['commitments'] = [
  { description: 'tests', assertion: ['npm', 'test'], by: 'parent', timeoutMs: 30_000 },
  { description: 'build', assertion: ['npm', 'run', 'build'], by: 'parent', timeoutMs: 30_000 },
];
const green: GateOutcome = { kind: 'passed', name: '' };
const red: GateOutcome = { kind: 'failed', name: '', exit: 1, tail: '1 is red' };
const late: GateOutcome = { kind: 'failed', name: '', exit: null, tail: '…', timedOut: true };
const DISMISS = { kind: 'dismiss', because: 'enough' } as const;

const PROMISE = 'COMMIT: {"what":"lint","command":["npm","run","lint"]}';

table('S044: a commitment of its own', [
  [
    'is checked with those of its parent, from the answer that makes it',
    { life: { commitments }, turns: [`${PROMISE}\nDONE`] },
    [
      ...['turn', 'checks tests', 'checks build', 'checks lint', 'exit normal'],
      `succeeded: ${PROMISE}\nDONE`,
    ],
  ],
  [
    'is not forgotten, and is never withdrawn',
    {
      life: { commitments: [], parent: 'boss' },
      turns: [PROMISE, 'COMMIT: {"what":"lint","command":[]}\nDONE', 'open'],
      checks: [red],
    },
    [
      ...['turn', 'turn in s'],
      'tells parent: NOTE from ada: this commitment was rejected because it is not {"what":"…","command":["…"]}: {"what":"lint","command":[]}',
      ...['checks lint', 'turn in s'],
    ],
  ],
  [
    'alone does not verify the work',
    { life: { commitments: [] }, turns: [`${PROMISE}\nDONE`], checks: [green] },
    ['turn', 'checks lint', 'exit normal', `unverified: ${PROMISE}\nDONE`],
  ],
]);

table('done is a request', [
  [
    'all commitments are checked, and all hold',
    { life: { commitments }, turns: ['DONE'] },
    ['turn', 'checks tests', 'checks build', 'exit normal', 'succeeded: DONE'],
  ],
  [
    'all commitments are checked, even after one failed',
    { life: { commitments }, turns: ['DONE', 'open'], checks: [red, green] },
    ['turn', 'checks tests', 'checks build', 'turn in s'],
  ],
  [
    'a check that was interrupted runs again',
    { life: { commitments }, turns: ['DONE'], checks: ['interrupted', green, green] },
    ['turn', 'checks tests', 'checks tests', 'checks build', 'exit normal', 'succeeded: DONE'],
  ],
  [
    'a check is repeated a bounded number of times',
    {
      life: { commitments },
      turns: ['DONE', 'open'],
      checks: ['interrupted', 'interrupted', 'interrupted', green],
    },
    ['turn', 'checks tests', 'checks tests', 'checks tests', 'checks build', 'turn in s'],
  ],
  [
    'the third failed round is put to a person',
    {
      life: { commitments },
      turns: ['DONE', 'DONE', 'DONE', 'open'],
      checks: [red, green, red, green, red, green],
      answers: ['continue'],
    },
    [
      ...['turn', 'checks tests', 'checks build', 'turn in s', 'checks tests', 'checks build'],
      ...['turn in s', 'checks tests', 'checks build'],
      'asks: ada reported that it is done, but its checks failed 3 times: tests: it exited with 1: 1 is red',
      'turn in s',
    ],
  ],
  [
    'a person can restart the agent after failed rounds',
    {
      life: { commitments },
      turns: ['DONE', 'DONE', 'DONE'],
      checks: [red, green, red, green, red, green],
      answers: ['restart'],
    },
    [
      ...['turn', 'checks tests', 'checks build', 'turn in s', 'checks tests', 'checks build'],
      ...['turn in s', 'checks tests', 'checks build'],
      'asks: ada reported that it is done, but its checks failed 3 times: tests: it exited with 1: 1 is red',
      'exit failed: a person asked for it',
    ],
  ],
  [
    'a message during the turn is delivered before the checks',
    {
      life: { commitments },
      turns: ['DONE', 'DONE'],
      says: { 'attempt-1': [{ kind: 'message', from: null, text: 'also this' }] },
    },
    ['turn', 'turn in s', 'checks tests', 'checks build', 'exit normal', 'succeeded: DONE'],
  ],
  [
    'a message during the checks is delivered before the end',
    {
      life: { commitments },
      turns: ['DONE', 'DONE'],
      says: { 'gate-1': [{ kind: 'message', from: null, text: 'also this' }] },
    },
    [
      ...['turn', 'checks tests', 'checks build', 'turn in s', 'checks tests', 'checks build'],
      ...['exit normal', 'succeeded: DONE'],
    ],
  ],
]);

describe('bugs of an earlier implementation', () => {
  for (const word of ['ABANDONED', 'NOT DONE', 'I am DONE with this', 'UNDONE'])
    test(`done is no substring: ${word}`, () => {
      const { trace } = driveAgent({ life: { commitments }, turns: [word, 'open'] });
      assert.deepEqual(trace, ['turn', 'turn in s']);
    });

  test('a second DONE after a failed check finds every commitment to be checked again', () => {
    const { trace, status: agent } = driveAgent({
      life: { commitments },
      turns: ['DONE', 'DONE', 'open'],
      checks: [red, green, red, red],
    });
    assert.deepEqual(trace, [
      ...['turn', 'checks tests', 'checks build', 'turn in s', 'checks tests', 'checks build'],
      'turn in s',
    ]);
    assert.deepEqual(
      agent.commitments.map(({ status }) => status),
      ['failed', 'failed'],
    );
  });

  test('a commitment that was broken after it passed is detected', () => {
    const { trace } = driveAgent({
      life: { commitments },
      turns: ['DONE', 'DONE', 'open'],
      checks: [green, red, red, green],
    });
    assert.equal(trace.at(-1), 'turn in s');
  });

  test('a check that takes too long reports its own time limit', () => {
    const { prompts, status } = driveAgent({
      life: { commitments },
      turns: ['DONE', 'open'],
      checks: [late, green],
    });
    assert.equal(status.commitments[0]?.failure, 'it took longer than 30000 ms');
    assert.match(prompts[1] ?? '', /tests: it took longer than 30000 ms/);
  });

  test('a dismissed agent stays visible, with its history and the reason', () => {
    const { status, events, states } = driveAgent({
      turns: ['open'],
      says: { 'attempt-1': [DISMISS] },
    });
    assert.equal(status.state, 'dismissed-reaped');
    assert.deepEqual(status.exit, { kind: 'shutdown', detail: 'dismissed: enough' });
    assert.deepEqual(states, ['summoned', 'working', 'dismissed-reaped']);
    assert.deepEqual(
      events.flatMap((one) => (one.type === 'run.ended' ? [one.payload.outcome.kind] : [])),
      ['cancelled'],
    );
  });

  test('an agent whose parent has ended continues, and its notes are dropped', () => {
    const { trace } = driveAgent({ life: { parent: 'gone' }, turns: ['NOTE: x\nnot yet', 'DONE'] });
    assert.deepEqual(trace, [
      'turn',
      'tells parent: NOTE from ada: x',
      'turn in s',
      'exit normal',
      'unverified: DONE',
    ]);
  });

  const orders: [why: string, AgentScript, string][] = [
    [
      'dismissed while it is checked: the dismissal came first',
      { life: { commitments }, turns: ['DONE'], says: { 'gate-2': [DISMISS] } },
      'cancelled: dismissed: enough',
    ],
    [
      'dismissed while its work is saved: done came first',
      { life: { commitments }, turns: ['DONE'], says: { 'finalize-1': [DISMISS] } },
      'succeeded: DONE',
    ],
    [
      'killed while its work is saved: done came first',
      { life: { commitments }, turns: ['DONE'], says: { 'finalize-1': [{ kind: 'kill' }] } },
      'succeeded: DONE',
    ],
    [
      'dismissed after it was proven, while it waits: it is proven',
      { life: { commitments, onDone: 'wait' }, turns: ['DONE'], later: [DISMISS] },
      'succeeded: DONE',
    ],
    [
      'dismissed in the turn that claims done: the dismissal came first',
      { turns: ['DONE'], says: { 'attempt-1': [DISMISS] } },
      'cancelled: dismissed: enough',
    ],
  ];
  for (const [why, script, last] of orders)
    test(`done and dismissed at once: ${why}`, () =>
      assert.equal(driveAgent(script).trace.at(-1), last));
});
