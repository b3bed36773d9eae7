/** A person's answer about a gang is stored with the agent that asked until all other members have received it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Signal } from '../protocol/signal.ts';
import { AgentProgramHarness } from '../../test/support/agent-program-harness.ts';
import { failed } from '../../test/support/drive-attempts.ts';
import { driveAgent } from '../../test/support/drive-agent.ts';

const live = (life: number): Signal => ({ kind: 'start-life', life });
const GANG: Signal = { kind: 'trigger', trigger: { kind: 'gang', failed: 3 } };
const decided = (of: string): Signal => ({
  kind: 'trigger',
  trigger: { kind: 'gang', failed: 0, decided: true, of },
});
const ASKS = 'asks: ada: 3 agents of one supervisor failed together.';

describe('an answer about a gang', () => {
  const answered: [answer: string, expected: string[]][] = [
    [
      'restart-all',
      ['exit failed: a person asked for it', 'broadcasts restart-all of ask-1', 'turn'],
    ],
    [
      'stop-all',
      [
        'exit shutdown: a person answered: stop-all',
        'broadcasts stop-all of ask-1',
        'cancelled: a person answered: stop-all',
      ],
    ],
    ['continue', ['turn']],
  ];
  for (const [answer, expected] of answered)
    test(`holds for all members if it says so: ${answer}`, () => {
      const play = driveAgent({
        turns: ['open', 'open'],
        says: { 'attempt-1': [GANG] },
        answers: [answer],
        later: [live(2)],
      });
      assert.deepEqual(play.trace, ['turn', 'calls off attempt-1', ASKS, ...expected]);
    });

  test('to an issue beside the work holds for all members too', () => {
    const { trace } = driveAgent({
      life: { onDone: 'wait' },
      turns: ['DONE'],
      later: [GANG],
      answers: ['stop-all'],
    });
    assert.ok(trace.includes('broadcasts stop-all of issue-1'), trace.join(', '));
  });

  test('with the same word to another question is not broadcast', () => {
    const { trace } = driveAgent({
      turns: [failed('auth'), 'open'],
      answers: ['restart-all'],
      later: [live(2)],
    });
    assert.ok(!trace.some((line) => line.startsWith('broadcasts')), trace.join(', '));
  });

  test('is broadcast again after an interruption, and then not any more', () => {
    const harness = new AgentProgramHarness({});
    const end = { kind: 'ends', outcome: failed('crashed'), other: {} } as const;
    const open = (command: string): number =>
      harness.ledger.open.findIndex((one) => one.command === command);
    harness.happen({ kind: 'says', signal: live(1) });
    harness.goOn();
    harness.happen({ kind: 'says', signal: GANG });
    harness.goOn();
    harness.happen({ ...end, nth: open('attempt'), how: 'done', answer: '' });
    harness.goOn();
    harness.happen({ ...end, nth: open('ask'), how: 'done', answer: 'restart-all' });
    for (const how of ['interrupted', 'interrupted', 'done'] as const) {
      harness.goOn();
      assert.deepEqual(harness.state.issues.broadcasts, [{ answer: 'restart-all', of: 'ask-1' }]);
      harness.happen({ ...end, nth: open('broadcast'), how, answer: '' });
    }
    harness.goOn();
    assert.deepEqual([harness.state.issues.broadcasts, open('broadcast')], [[], -1]);
  });

  test('that arrives twice ends one life of a sibling', () => {
    const { trace } = driveAgent({
      turns: ['open', 'open', 'open'],
      says: { 'attempt-1': [decided('a ask-1')], 'attempt-2': [decided('a ask-1')] },
      later: [decided('a ask-1'), live(2), live(3)],
    });
    assert.deepEqual(trace, [
      ...['turn', 'calls off attempt-1'],
      'exit failed: You were restarted due to: several agents of your group failed, so all of them restart',
      'turn',
    ]);
  });

  test('that is new ends another life', () => {
    const { status } = driveAgent({
      turns: ['open', 'open', 'open'],
      says: { 'attempt-1': [decided('a ask-1')], 'attempt-2': [decided('a ask-2')] },
      later: [live(2), live(3)],
    });
    assert.equal(status.life, 3);
  });
});
