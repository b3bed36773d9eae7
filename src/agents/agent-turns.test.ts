import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentScript } from '../../test/support/drive-agent.ts';
import { driveAgent } from '../../test/support/drive-agent.ts';
import { failed } from '../../test/support/drive-attempts.ts';

type Row = readonly [why: string, script: AgentScript, expected: readonly string[]];

function table(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    for (const [why, script, expected] of rows)
      test(why, () => assert.deepEqual(driveAgent(script).trace, expected));
  });
}

const session = 's';
const ASKS_PRICE =
  'asks: ada: price_unknown. No budget is spent. Set the price with: supervisor prices set MODEL --input USD --output USD, then answer retry. Or answer cap with --budget-tokens N to limit tokens instead, continue to work without counting the cost, or stop.';

table('turn by turn', [
  ['nothing starts before the supervisor starts a life', { isNotStarted: true }, []],
  [
    'a life with the wrong number does not start',
    { isNotStarted: true, later: [{ kind: 'start-life', life: 2 }] },
    [],
  ],
  ['a life starts with a turn', { turns: ['open'] }, ['turn']],
  [
    'a repeated start starts one life',
    { turns: ['open'], says: { 'attempt-1': [{ kind: 'start-life', life: 1 }] } },
    ['turn'],
  ],
  [
    'no second life starts while one is running',
    { turns: ['open'], says: { 'attempt-1': [{ kind: 'start-life', life: 2 }] } },
    ['turn'],
  ],
  [
    'an agent without commitments that claims done is done',
    { turns: ['all done\nDONE'] },
    ['turn', 'exit normal', 'unverified: all done\nDONE'],
  ],
  [
    'an agent without a claim is asked to continue, in the same conversation',
    { turns: ['so far', 'DONE'] },
    ['turn', 'turn in s', 'exit normal', 'unverified: DONE'],
  ],
  [
    'after three turns without a claim a person is asked, and the agent gets the answer',
    { turns: ['a', 'b', 'c', 'd', 'DONE'], answers: ['use the other one'] },
    [
      ...['turn', 'turn in s', 'turn in s', 'turn in s'],
      'asks: ada has ended 4 turns without reporting that it is done. What should it do? Its last message: d',
      ...['turn in s', 'exit normal', 'unverified: DONE'],
    ],
  ],
  [
    'a message is delivered in the next turn, whatever the agent claims',
    {
      turns: ['DONE', 'DONE'],
      says: { 'attempt-1': [{ kind: 'message', from: null, text: 'and one more' }] },
    },
    ['turn', 'turn in s', 'exit normal', 'unverified: DONE'],
  ],
  [
    'an urgent message cancels the turn, and the next starts at once',
    {
      turns: ['a', 'open', 'DONE'],
      says: { 'attempt-2': [{ kind: 'message', from: 'bob', text: 'stop that', urgent: true }] },
    },
    ['turn', 'turn in s', 'calls off attempt-2', 'turn in s'],
  ],
  [
    'an agent that waits is woken by a message',
    {
      turns: ['{"status":"waiting"}', 'DONE'],
      later: [{ kind: 'message', from: 'bob', text: 'here it is' }],
    },
    ['turn', 'turn in s', 'exit normal', 'unverified: DONE'],
  ],
  ['an agent that waits starts no turn', { turns: ['{"status":"waiting"}', 'DONE'] }, ['turn']],
  [
    'an agent with perseverance may not wait',
    {
      life: { flags: { perseverance: true, userPresent: false } },
      turns: ['{"status":"waiting"}', 'DONE'],
    },
    ['turn', 'turn in s', 'exit normal', 'unverified: DONE'],
  ],
  [
    'notes go to the parent agent',
    {
      life: { parent: 'p' },
      turns: ['NOTE: the port is 80\nNOTE: and it is slow\nDONE'],
    },
    [
      'turn',
      'exit normal',
      'tells parent: NOTE from ada: the port is 80',
      'tells parent: NOTE from ada: and it is slow',
      'unverified: NOTE: the port is 80\nNOTE: and it is slow\nDONE',
    ],
  ],
  [
    'notes of an agent without a parent are not sent',
    { turns: ['NOTE: x\nDONE'] },
    ['turn', 'exit normal', 'unverified: NOTE: x\nDONE'],
  ],
]);

table('turns that fail', [
  [
    'a crash ends the life, and its supervisor decides',
    { turns: [failed('crashed')] },
    ['turn', 'exit failed: crashed: crashed'],
  ],
  [
    'the next life continues the same conversation',
    { turns: [failed('oom', { session }), 'DONE'], later: [{ kind: 'start-life', life: 2 }] },
    ['turn', 'exit failed: oom: oom', 'turn in s', 'exit normal', 'unverified: DONE'],
  ],
  [
    'the next life does not continue a conversation that was too long',
    {
      turns: [failed('context_overflow', { session }), 'DONE'],
      later: [{ kind: 'start-life', life: 2 }],
    },
    [
      ...['turn', 'exit failed: context_overflow: context_overflow', 'turn', 'exit normal'],
      'unverified: DONE',
    ],
  ],
  [
    'a rejected conversation is replaced by a new one, once, without a restart',
    {
      turns: [failed('oom', { session }), failed('bad_usage'), 'DONE'],
      later: [{ kind: 'start-life', life: 2 }],
    },
    ['turn', 'exit failed: oom: oom', 'turn in s', 'turn', 'exit normal', 'unverified: DONE'],
  ],
  [
    'a conversation that was resumed and then failed was not rejected',
    {
      turns: [failed('oom', { session }), failed('crashed', { session })],
      later: [{ kind: 'start-life', life: 2 }],
    },
    ['turn', 'exit failed: oom: oom', 'turn in s', 'exit failed: crashed: crashed'],
  ],
  [
    'a conversation in which the agent fails twice in a row is dropped',
    {
      turns: [
        'so far',
        failed('crashed', { session }),
        failed('crashed', { session }),
        'so far',
        failed('crashed', { session }),
        'open',
      ],
      later: [2, 3, 4].map((life) => ({ kind: 'start-life', life }) as const),
    },
    [
      ...['turn', 'turn in s', 'exit failed: crashed: crashed'],
      ...['turn in s', 'exit failed: crashed: crashed'],
      ...['turn', 'turn in s', 'exit failed: crashed: crashed', 'turn in s'],
    ],
  ],
  [
    'a turn that was interrupted with its owner continues, without a restart',
    { turns: ['interrupted', 'DONE'] },
    ['turn', 'turn', 'exit normal', 'unverified: DONE'],
  ],
  [
    'interruptions are bounded',
    { turns: ['interrupted', 'interrupted', 'interrupted'] },
    ['turn', 'turn', 'turn', 'exit failed: its turn was interrupted 3 times: the owner ended'],
  ],
  [
    'the agent waits for a limit, without a restart',
    { turns: [failed('rate_limited', { resetMs: 60_000, session }), 'DONE'] },
    ['turn', 'set-cooldown', 'rests until 60 s', 'turn in s', 'exit normal', 'unverified: DONE'],
  ],
  [
    'the agent waits for an overloaded provider, for an assumed time that grows',
    { turns: [failed('overloaded'), failed('overloaded'), 'open'] },
    ['turn', 'rests until 61 s', 'turn', 'rests until 182 s', 'turn'],
  ],
  [
    'a limit that lasts too long is put to a person',
    { turns: [failed('quota_exhausted', { resetMs: 86_400_000 })] },
    [
      'turn',
      'asks: ada is limited until 2026-01-02T00:00:00.000Z, which is longer than it may wait: quota_exhausted',
    ],
  ],
  [
    'a spent budget is put to a person, and nothing continues without an answer',
    {
      turns: [failed('budget')],
      says: { 'ask-1': [{ kind: 'message', from: null, text: 'go on' }] },
    },
    ['turn', 'asks: ada: budget. Answer continue or stop.'],
  ],
  [
    'an unclear answer about money is asked again',
    { turns: [failed('budget', { session }), 'DONE'], answers: ['perhaps', 'continue'] },
    [
      'turn',
      'asks: ada: budget. Answer continue or stop.',
      'asks: ada: budget. Answer continue or stop.',
      'turn in s',
      'exit normal',
      'unverified: DONE',
    ],
  ],
  [
    'the answer stop ends the agent',
    { turns: [failed('budget')], answers: ['stop'] },
    [
      'turn',
      'asks: ada: budget. Answer continue or stop.',
      'exit shutdown: stopped when the budget was spent',
      'cancelled: stopped when the budget was spent',
    ],
  ],
  [
    'an unknown price is put to a person, who may set it, and is never called a spent budget',
    {
      turns: [failed('price_unknown', { session }), failed('price_unknown')],
      answers: ['retry', 'stop'],
    },
    [
      'turn',
      ASKS_PRICE,
      'turn in s',
      ASKS_PRICE,
      'exit shutdown: stopped because a price is unknown',
      'cancelled: stopped because a price is unknown',
    ],
  ],
  [
    'a failure that no restart fixes is reported above and put to a person',
    { life: { parent: 'p' }, turns: [failed('auth'), 'DONE'], answers: ['continue'] },
    [
      'turn',
      "tells parent: ada can't continue (auth): auth",
      "tells root: ada can't continue (auth): auth",
      "asks: ada can't continue (auth): auth",
      'turn',
      'exit normal',
      'unverified: DONE',
    ],
  ],
  [
    'an agent decides its first question by itself, then a person is asked',
    {
      turns: [failed('needs_input', { session }), failed('needs_input', { session }), 'open'],
      answers: ['blue'],
    },
    ['turn', 'turn in s', 'asks: ada asks: needs_input', 'turn in s'],
  ],
  [
    'a present person is asked at once, and any message may answer',
    {
      life: { flags: { perseverance: false, userPresent: true } },
      turns: [failed('needs_input', { session }), 'open'],
      says: { 'ask-1': [{ kind: 'message', from: 'bob', text: 'blue' }] },
    },
    ['turn', 'asks: ada asks: needs_input', 'calls off ask-1', 'turn in s'],
  ],
]);
