import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_TRIGGERS } from '../monitors/triggers.ts';
import type { NewEvent } from '../protocol/event.ts';
import type { Signal } from '../protocol/signal.ts';
import { AgentProgramHarness } from '../../test/support/agent-program-harness.ts';
import { failed } from '../../test/support/drive-attempts.ts';
import type { AgentScript } from '../../test/support/drive-agent.ts';
import { driveAgent } from '../../test/support/drive-agent.ts';
import { runEvent } from '../../test/support/run-event.ts';

type Row = readonly [why: string, script: AgentScript, expected: readonly string[]];

function table(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    for (const [why, script, expected] of rows)
      test(why, () => assert.deepEqual(driveAgent(script).trace, expected));
  });
}

const live = (life: number): Signal => ({ kind: 'start-life', life });
const session = 's';
const wait = { onDone: 'wait' } as const;
const cut = (trigger: Extract<Signal, { kind: 'trigger' }>['trigger']): Signal => ({
  kind: 'trigger',
  trigger,
});
const SPINS = cut({ kind: 'spinning', call: 'ls' });
const WRONG = cut({ kind: 'wrong-changeset', feedback: 'no tests' });
const HALT: Signal = { kind: 'end-life', because: 'a sibling failed' };
const ladder = { ...DEFAULT_TRIGGERS, models: ['small', 'large'] };

table('fish or cut bait', [
  [
    'spinning: the turn is cancelled, and the next life starts with another tree and conversation',
    { turns: ['a', 'open', 'open'], says: { 'attempt-2': [SPINS] }, later: [live(2)] },
    [
      ...['turn', 'turn in s', 'calls off attempt-2'],
      'exit failed: You were restarted due to: you repeated the same call: ls',
      'turn on tree 2',
    ],
  ],
  [
    'rejected work: another tree and a stronger model',
    {
      life: { triggers: ladder },
      model: 'small',
      turns: ['open', 'open'],
      says: { 'attempt-1': [WRONG] },
      later: [live(2)],
    },
    [
      ...['turn with small', 'calls off attempt-1'],
      'exit failed: You were restarted due to: your work was rejected: no tests',
      'turn on tree 2 with large',
    ],
  ],
  [
    'rejected work of an agent that is done: another tree',
    { life: wait, turns: ['DONE', 'open'], later: [WRONG, live(2)] },
    [
      'turn',
      'exit failed: You were restarted due to: your work was rejected: no tests',
      'turn on tree 2',
    ],
  ],
  [
    'over its budget: the turn is cancelled, a person is asked, and work and conversation stay',
    {
      turns: ['a', 'open', 'open'],
      says: { 'attempt-2': [cut({ kind: 'over-budget' })] },
      answers: ['continue'],
    },
    [
      ...['turn', 'turn in s', 'calls off attempt-2', 'asks: ada: Its budget is spent.'],
      'turn in s',
    ],
  ],
  [
    'an agent that asks to be dismissed is dismissed if a person says so',
    { turns: ['{"status":"abort","reason":"it is nonsense"}'], answers: ['dismiss'] },
    [
      ...['turn', 'asks: ada: It asks to be dismissed: it is nonsense'],
      ...['exit shutdown: a person answered: dismiss', 'cancelled: a person answered: dismiss'],
    ],
  ],
  [
    'an agent that asks to be dismissed is restarted if a person says so',
    {
      turns: ['{"status":"abort","reason":"it is nonsense"}', 'open'],
      answers: ['restart'],
      later: [live(2)],
    },
    [
      ...['turn', 'asks: ada: It asks to be dismissed: it is nonsense'],
      ...['exit failed: a person asked for it', 'turn in s'],
    ],
  ],
  [
    'a gang that fails is put to a person',
    { turns: ['open'], says: { 'attempt-1': [cut({ kind: 'gang', failed: 3 })] } },
    ['turn', 'calls off attempt-1', 'asks: ada: 3 agents of one supervisor failed together.'],
  ],
  [
    'an agent halted before the question asks it in its next life',
    {
      turns: ['open'],
      says: { 'attempt-1': [cut({ kind: 'gang', failed: 3 }), HALT] },
      later: [live(2)],
    },
    [
      'turn',
      'calls off attempt-1',
      'exit shutdown: a sibling failed',
      'asks: ada: 3 agents of one supervisor failed together.',
    ],
  ],
  [
    'an agent that was halted first asks it in its next life',
    {
      turns: ['open', 'open'],
      says: { 'attempt-1': [HALT, cut({ kind: 'gang', failed: 3 })] },
      later: [live(2)],
      answers: ['restart-all'],
    },
    [
      'turn',
      'asks: ada: 3 agents of one supervisor failed together.',
      'broadcasts restart-all of issue-1',
      'calls off attempt-1',
      'exit shutdown: a sibling failed',
      'turn',
    ],
  ],
  [
    'a gang that fails is restarted at once if the policy says so',
    {
      life: { triggers: { ...DEFAULT_TRIGGERS, onGang: 'restart-all' } },
      turns: ['open', 'open'],
      says: { 'attempt-1': [cut({ kind: 'gang', failed: 3 })] },
      later: [live(2)],
    },
    [
      ...['turn', 'calls off attempt-1'],
      'exit failed: You were restarted due to: several agents of your group failed, so all of them restart',
      'turn',
    ],
  ],
  [
    'a second trigger has no effect while the first is applied',
    { turns: ['open'], says: { 'attempt-1': [SPINS, cut({ kind: 'over-budget' })] } },
    [
      ...['turn', 'calls off attempt-1'],
      'exit failed: You were restarted due to: you repeated the same call: ls',
    ],
  ],
  [
    'a crash starts another tree if the policy discards its work',
    {
      life: {
        triggers: { ...DEFAULT_TRIGGERS, workspace: { ...ladder.workspace, crashed: 'discard' } },
      },
      turns: [failed('crashed', { session }), 'open'],
      later: [live(2)],
    },
    ['turn', 'exit failed: crashed: crashed', 'turn on tree 2'],
  ],
]);

const odd = (kind: string): Signal => ({
  kind: 'issue',
  issue: { kind, what: `is ${kind}`, choices: ['restart', 'ignore'] },
});

table('issues that a monitor reports', [
  [
    'the parent is notified first, then the root, then a person, each once; the work continues',
    {
      life: { parent: 'p' },
      turns: ['a', 'open'],
      says: { 'attempt-1': [odd('slow'), odd('slow'), odd('slow'), odd('slow')] },
    },
    ['turn', 'tells parent: is slow', 'tells root: is slow', 'asks: ada: is slow'],
  ],
]);

test('a conversation that is named while its turn is cancelled is not continued', () => {
  const named: NewEvent = runEvent({
    type: 'command.noted',
    payload: { key: 'attempt-1', note: { kind: 'session', session: 's' } },
  });
  const sessions = [SPINS, { kind: 'end-life', because: 'a sibling' } as const].map((signal) => {
    const harness = new AgentProgramHarness({});
    harness.happen({ kind: 'says', signal: live(1) });
    harness.goOn();
    harness.happen({ kind: 'says', signal });
    harness.write(named);
    return harness.state.turn.session;
  });
  assert.deepEqual(sessions, [null, 's']);
});

test('the answer continue to an issue does not affect the work', () => {
  const { trace, status } = driveAgent({
    life: wait,
    turns: ['DONE'],
    later: [odd('slow')],
    answers: ['ignore'],
  });
  assert.deepEqual(trace, ['turn', 'asks: ada: is slow']);
  assert.equal(status.openIssues, 0);
  assert.equal(status.exit, null);
});

test('the answer restart to an issue ends the life', () => {
  const { trace } = driveAgent({
    life: wait,
    turns: ['DONE'],
    later: [odd('x')],
    answers: ['restart'],
  });
  assert.deepEqual(trace, ['turn', 'asks: ada: is x', 'exit failed: a person asked for it']);
});
