import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentScript } from '../../test/support/drive-agent.ts';
import { driveAgent } from '../../test/support/drive-agent.ts';
import { failed } from '../../test/support/drive-attempts.ts';

type Row = readonly [why: string, script: AgentScript, told: readonly string[]];

function table(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    for (const [why, script, told] of rows)
      test(why, () => assert.deepEqual(driveAgent(script).told, told));
  });
}

const session = 's';

table('turn by turn', [
  ['nothing begins before its supervisor says so', { isUnborn: true }, []],
  [
    'nor with a number that does not follow',
    { isUnborn: true, later: [{ kind: 'live', life: 2 }] },
    [],
  ],
  ['a life begins with a turn', { turns: ['open'] }, ['turn']],
  [
    'said twice, it begins once',
    { turns: ['open'], says: { 'attempt-1': [{ kind: 'live', life: 1 }] } },
    ['turn'],
  ],
  [
    'nor does another begin while one goes on',
    { turns: ['open'], says: { 'attempt-1': [{ kind: 'live', life: 2 }] } },
    ['turn'],
  ],
  [
    'whoever says that it is done is done, where nothing was promised',
    { turns: ['all done\nDONE'] },
    ['turn', 'exit normal', 'unverified: all done\nDONE'],
  ],
  [
    'whoever says nothing of that is asked to go on, in its own conversation',
    { turns: ['so far', 'DONE'] },
    ['turn', 'turn in s', 'exit normal', 'unverified: DONE'],
  ],
  [
    'three times, and then a person is asked; what they say is told to it',
    { turns: ['a', 'b', 'c', 'd', 'DONE'], answers: ['use the other one'] },
    [
      ...['turn', 'turn in s', 'turn in s', 'turn in s'],
      'asks: ada has ended 4 turns without saying that it is done. What should it do? Its last words: d',
      ...['turn in s', 'exit normal', 'unverified: DONE'],
    ],
  ],
  [
    'a message is heard in the next turn, whatever it says of being done',
    {
      turns: ['DONE', 'DONE'],
      says: { 'attempt-1': [{ kind: 'message', from: null, text: 'and one more' }] },
    },
    ['turn', 'turn in s', 'exit normal', 'unverified: DONE'],
  ],
  [
    'one that is urgent calls the turn off, and the next begins at once',
    {
      turns: ['a', 'open', 'DONE'],
      says: { 'attempt-2': [{ kind: 'message', from: 'bob', text: 'stop that', urgent: true }] },
    },
    ['turn', 'turn in s', 'calls off attempt-2', 'turn in s'],
  ],
  [
    'whoever waits is woken by a message',
    {
      turns: ['{"status":"waiting"}', 'DONE'],
      later: [{ kind: 'message', from: 'bob', text: 'here it is' }],
    },
    ['turn', 'turn in s', 'exit normal', 'unverified: DONE'],
  ],
  ['and until then nothing begins', { turns: ['{"status":"waiting"}', 'DONE'] }, ['turn']],
  [
    'whoever perseveres may not wait',
    {
      life: { flags: { background: false, perseverance: true, userPresent: false } },
      turns: ['{"status":"waiting"}', 'DONE'],
    },
    ['turn', 'turn in s', 'exit normal', 'unverified: DONE'],
  ],
  [
    'notes go to whom it belongs to',
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
    'and to nobody where it belongs to nobody',
    { turns: ['NOTE: x\nDONE'] },
    ['turn', 'exit normal', 'unverified: NOTE: x\nDONE'],
  ],
]);

table('turns that do not end well', [
  [
    'a crash ends the life, and its supervisor decides',
    { turns: [failed('crashed')] },
    ['turn', 'exit failed: crashed: crashed'],
  ],
  [
    'the next life goes on in the same conversation',
    { turns: [failed('oom', { session }), 'DONE'], later: [{ kind: 'live', life: 2 }] },
    ['turn', 'exit failed: oom: oom', 'turn in s', 'exit normal', 'unverified: DONE'],
  ],
  [
    'but not in one that was too long',
    {
      turns: [failed('context_overflow', { session }), 'DONE'],
      later: [{ kind: 'live', life: 2 }],
    },
    [
      ...['turn', 'exit failed: context_overflow: context_overflow', 'turn', 'exit normal'],
      'unverified: DONE',
    ],
  ],
  [
    'a conversation that is refused is begun afresh, once, and no life is lost',
    {
      turns: [failed('oom', { session }), failed('bad_usage'), 'DONE'],
      later: [{ kind: 'live', life: 2 }],
    },
    ['turn', 'exit failed: oom: oom', 'turn in s', 'turn', 'exit normal', 'unverified: DONE'],
  ],
  [
    'one that was taken up and failed all the same was not refused',
    {
      turns: [failed('oom', { session }), failed('crashed', { session })],
      later: [{ kind: 'live', life: 2 }],
    },
    ['turn', 'exit failed: oom: oom', 'turn in s', 'exit failed: crashed: crashed'],
  ],
  [
    'but one in which it fails twice in a row is given up',
    {
      turns: [
        'so far',
        failed('crashed', { session }),
        failed('crashed', { session }),
        'so far',
        failed('crashed', { session }),
        'open',
      ],
      later: [2, 3, 4].map((life) => ({ kind: 'live', life }) as const),
    },
    [
      ...['turn', 'turn in s', 'exit failed: crashed: crashed'],
      ...['turn in s', 'exit failed: crashed: crashed'],
      ...['turn', 'turn in s', 'exit failed: crashed: crashed', 'turn in s'],
    ],
  ],
  [
    'a turn that died with its owner goes on, and no life is lost',
    { turns: ['lost', 'DONE'] },
    ['turn', 'turn', 'exit normal', 'unverified: DONE'],
  ],
  [
    'as often as allowed',
    { turns: ['lost', 'lost', 'lost'] },
    ['turn', 'turn', 'turn', 'exit failed: its turn was lost 3 times with its owner'],
  ],
  [
    'a limit is waited for, and no life is lost',
    { turns: [failed('rate_limited', { resetMs: 60_000, session }), 'DONE'] },
    ['turn', 'cool', 'rests until 60 s', 'turn in s', 'exit normal', 'unverified: DONE'],
  ],
  [
    'so is a provider that has too much to do, for an assumed time that grows',
    { turns: [failed('overloaded'), failed('overloaded'), 'open'] },
    ['turn', 'rests until 61 s', 'turn', 'rests until 182 s', 'turn'],
  ],
  [
    'a limit that lasts longer than anybody waits is a question',
    { turns: [failed('quota_exhausted', { resetMs: 86_400_000 })] },
    [
      'turn',
      'asks: ada is limited until 2026-01-02T00:00:00.000Z, which is longer than it may wait: quota_exhausted',
    ],
  ],
  [
    'money is a question, and nothing goes on without an answer',
    {
      turns: [failed('budget')],
      says: { 'ask-1': [{ kind: 'message', from: null, text: 'go on' }] },
    },
    ['turn', 'asks: ada: budget. Answer continue or stop.'],
  ],
  [
    'which is asked until it is one',
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
    'stop is an answer',
    { turns: [failed('budget')], answers: ['stop'] },
    [
      'turn',
      'asks: ada: budget. Answer continue or stop.',
      'exit shutdown: stopped when the budget was spent',
      'cancelled: stopped when the budget was spent',
    ],
  ],
  [
    'what no restart cures is told above and asked of a person',
    { life: { parent: 'p' }, turns: [failed('auth'), 'DONE'], answers: ['continue'] },
    [
      'turn',
      "tells parent: ada can't go on (auth): auth",
      "tells root: ada can't go on (auth): auth",
      "asks: ada can't go on (auth): auth",
      'turn',
      'exit normal',
      'unverified: DONE',
    ],
  ],
  [
    'whoever asks decides by itself once, then a person is asked',
    {
      turns: [failed('needs_input', { session }), failed('needs_input', { session }), 'open'],
      answers: ['blue'],
    },
    ['turn', 'turn in s', 'asks: ada asks: needs_input', 'turn in s'],
  ],
  [
    'a person who is there is asked at once, and anybody may answer by writing',
    {
      life: { flags: { background: false, perseverance: false, userPresent: true } },
      turns: [failed('needs_input', { session }), 'open'],
      says: { 'ask-1': [{ kind: 'message', from: 'bob', text: 'blue' }] },
    },
    ['turn', 'asks: ada asks: needs_input', 'calls off ask-1', 'turn in s'],
  ],
]);
