import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Signal } from '../protocol/signal.ts';
import { failed } from '../../test/support/drive-attempts.ts';
import type { AgentScript } from '../../test/support/drive-agent.ts';
import { driveAgent } from '../../test/support/drive-agent.ts';

type Row = readonly [why: string, script: AgentScript, expected: readonly string[]];

function table(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    for (const [why, script, expected] of rows)
      test(why, () => assert.deepEqual(driveAgent(script).trace, expected));
  });
}

const live = (life: number): Signal => ({ kind: 'start-life', life });
const HALT: Signal = { kind: 'end-life', because: 'a sibling failed' };
const SPENT: Signal = { kind: 'restarts-exhausted', because: '4 failures in 300 s' };
const wait = { onDone: 'wait' } as const;

table('signals of the supervisor', [
  [
    'a halted life keeps its phase, and the next one continues it',
    { turns: ['a', 'open', 'DONE'], says: { 'attempt-2': [HALT] }, later: [live(2)] },
    [
      ...['turn', 'turn in s', 'calls off attempt-2', 'exit shutdown: a sibling failed'],
      ...['turn in s'],
    ],
  ],
  [
    'an agent that is done and waits is halted and restarted without a turn',
    { life: wait, turns: ['DONE'], later: [HALT, live(2)] },
    ['turn', 'exit shutdown: a sibling failed'],
  ],
  [
    'a question is asked again in the next life',
    { turns: [failed('auth')], says: { 'ask-1': [HALT] }, later: [live(2)] },
    [
      'turn',
      "asks: ada can't continue (auth): auth",
      'calls off ask-1',
      'exit shutdown: a sibling failed',
      "asks: ada can't continue (auth): auth",
    ],
  ],
  [
    'a round of checks starts again in the next life',
    {
      life: {
        commitments: [
          { description: 'a', assertion: ['a'], by: 'parent', timeoutMs: 1 },
          { description: 'b', assertion: ['b'], by: 'parent', timeoutMs: 1 },
        ],
      },
      turns: ['DONE'],
      says: { 'gate-2': [HALT] },
      later: [live(2)],
    },
    [
      ...['turn', 'checks a', 'checks b', 'calls off gate-2', 'exit shutdown: a sibling failed'],
      ...['checks a', 'checks b', 'exit normal', 'succeeded: DONE'],
    ],
  ],
  ['an agent without a life is not halted', { isNotStarted: true, later: [HALT] }, []],
  [
    'a drone without restarts left is removed',
    { life: { kind: 'drone', parent: 'p' }, turns: [failed('crashed')], later: [SPENT] },
    ['turn', 'exit failed: crashed: crashed', 'failed: reaped: 4 failures in 300 s'],
  ],
  [
    'for any other kind, parent and root are notified and a person decides',
    { life: { parent: 'p' }, turns: [failed('crashed')], later: [SPENT] },
    [
      'turn',
      'exit failed: crashed: crashed',
      'tells parent: ada is down and has no restarts left: 4 failures in 300 s',
      'tells root: ada is down and has no restarts left: 4 failures in 300 s',
      'asks: ada: is down and has no restarts left: 4 failures in 300 s',
    ],
  ],
  [
    'a repeated signal has no effect',
    { turns: [failed('crashed')], says: { 'issue-1': [SPENT, SPENT] }, later: [SPENT] },
    [
      ...['turn', 'exit failed: crashed: crashed'],
      'asks: ada: is down and has no restarts left: 4 failures in 300 s',
    ],
  ],
  [
    'a person dismisses it',
    { turns: [failed('crashed')], later: [SPENT], answers: ['dismiss'] },
    [
      ...['turn', 'exit failed: crashed: crashed'],
      'asks: ada: is down and has no restarts left: 4 failures in 300 s',
      'cancelled: a person answered: dismiss',
    ],
  ],
  [
    'a person restarts it: the supervisor starts the next life',
    { turns: [failed('crashed'), 'open'], later: [SPENT, live(2)], answers: ['restart'] },
    [
      ...['turn', 'exit failed: crashed: crashed'],
      'asks: ada: is down and has no restarts left: 4 failures in 300 s',
      'turn',
    ],
  ],
  [
    'a new life withdraws the question',
    { turns: [failed('crashed'), 'open'], says: { 'issue-1': [live(2)] }, later: [SPENT] },
    [
      ...['turn', 'exit failed: crashed: crashed'],
      'asks: ada: is down and has no restarts left: 4 failures in 300 s',
      ...['calls off issue-1', 'turn'],
    ],
  ],
  [
    'a running agent is not exhausted',
    { turns: ['open'], says: { 'attempt-1': [SPENT] } },
    ['turn'],
  ],
]);

describe('whether a restart is requested', () => {
  const cases: [why: string, AgentScript, boolean][] = [
    ['not for an agent that only failed', { turns: [failed('crashed')] }, false],
    ['not for an exhausted agent', { turns: [failed('crashed')], later: [SPENT] }, false],
    [
      'if a person asks for it',
      { turns: [failed('crashed')], later: [SPENT], answers: ['restart'] },
      true,
    ],
    [
      'if a message arrives',
      {
        turns: [failed('crashed')],
        later: [SPENT],
        says: { 'issue-1': [{ kind: 'message', from: null, text: 'hello' }] },
      },
      true,
    ],
    [
      'not for an agent that has restarted',
      {
        turns: [failed('crashed'), 'open'],
        later: [SPENT, { kind: 'message', from: null, text: 'hello' }, live(2)],
        answers: ['restart'],
      },
      false,
    ],
  ];
  for (const [why, script, wants] of cases)
    test(why, () => assert.equal(driveAgent(script).status.restartRequested, wants));
});

table('the end', [
  [
    'stopped: its step is cancelled, its work is saved, and nothing starts any more',
    { turns: ['open'], says: { 'attempt-1': [{ kind: 'stop' }] }, later: [live(2)] },
    [
      ...['turn', 'exit shutdown: stopped by the user', 'calls off attempt-1'],
      'cancelled: stopped by the user',
    ],
  ],
  [
    'killed',
    { turns: ['open'], says: { 'attempt-1': [{ kind: 'kill' }] } },
    [
      ...['turn', 'exit shutdown: killed by the user', 'calls off attempt-1'],
      'killed: killed by the user',
    ],
  ],
  [
    'dismissed before its first life',
    { isNotStarted: true, later: [{ kind: 'dismiss', because: 'not needed' }] },
    ['exit shutdown: dismissed: not needed', 'cancelled: dismissed: not needed'],
  ],
  [
    'dismissed when it is down',
    { turns: [failed('crashed')], later: [{ kind: 'dismiss', because: 'not needed' }] },
    ['turn', 'exit failed: crashed: crashed', 'cancelled: dismissed: not needed'],
  ],
]);

describe('a message', () => {
  const LETTER: Signal = { kind: 'message', from: null, text: 'mind the gap' };
  const cases: [why: string, turns: NonNullable<AgentScript['turns']>, expected: boolean[]][] = [
    [
      'that was delivered is not repeated to an agent that asks to be dismissed',
      ['a', '{"status":"abort","reason":"r"}', 'open'],
      [false, true, false],
    ],
    [
      'is repeated to an agent that asked a question, because no person answered',
      ['a', failed('needs_input', { session: 's' }), 'b', 'open'],
      [false, true, true, false],
    ],
  ];
  for (const [why, turns, expected] of cases)
    test(why, () => {
      const says = { 'attempt-1': [LETTER] };
      const { prompts } = driveAgent({ turns, says, answers: ['continue'] });
      assert.deepEqual(
        prompts.map((words) => words.includes(LETTER.text)),
        expected,
      );
    });
});
