/** Steps that end while the life is ending: an answer, and a claimed file. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../base/json.ts';
import type { Signal } from '../protocol/signal.ts';
import { AgentProgramHarness } from '../../test/support/agent-program-harness.ts';
import { failed } from '../../test/support/drive-attempts.ts';

const live = (life: number): Signal => ({ kind: 'start-life', life });
const HALT: Signal = { kind: 'end-life', because: 'a sibling failed' };
const HELLO: Signal = { kind: 'message', from: null, text: 'hello there' };
const idle = { onDone: 'next', queue: { dir: '/q', onEmpty: 'idle' } } as const;
const ONE = { kind: 'claimed', name: '1', text: 'do one' } as const;

/** An agent whose running step ends like this, after these signals. */
function after(
  life: ConstructorParameters<typeof AgentProgramHarness>[0],
  ...happens: readonly (Signal | End)[]
): AgentProgramHarness {
  const harness = new AgentProgramHarness(life);
  harness.happen({ kind: 'says', signal: live(1) });
  harness.goOn();
  for (const one of happens) {
    if ('kind' in one) harness.happen({ kind: 'says', signal: one });
    else
      harness.happen({
        kind: 'ends',
        nth: 0,
        how: 'done',
        outcome: failed('auth'),
        ...BLANK,
        ...one,
      });
    if (!('kind' in one) || one.kind === 'start-life') harness.goOn();
  }
  return harness;
}

type End = {
  readonly answer?: string;
  readonly other?: Record<string, Json>;
  readonly how?: 'interrupted';
  readonly outcome?: ReturnType<typeof failed>;
};
const BLANK = { answer: '', other: {} };
const ASKS: End = { outcome: failed('auth') };

describe('an answer that arrives while the life is ending', () => {
  test('is not requested again: the next life uses it', () => {
    const { state, begun } = after({}, ASKS, HALT, { answer: 'continue' }, live(2));
    assert.deepEqual([state.lives, state.phase.kind], [2, 'turn']);
    assert.deepEqual(
      begun.filter((command) => command !== 'check-availability'),
      ['attempt', 'ask', 'attempt'],
    );
  });

  test('ends the agent if it says so', () => {
    const { state, begun } = after({}, ASKS, HALT, { answer: 'dismiss' });
    assert.equal(state.ending.outcome?.reason, 'a person answered: dismiss');
    assert.ok(!begun.includes('ask', begun.indexOf('ask') + 1));
  });

  test('does not count as a failure if it asks for a restart', () => {
    const { state } = after({}, ASKS, HALT, { answer: 'restart' });
    assert.deepEqual(state.exit, { kind: 'shutdown', detail: 'a sibling failed' });
    assert.match(state.turn.restartNotice ?? '', /a person asked for it/);
  });

  test('is delivered with the message that came before it', () => {
    const asks = { outcome: failed('needs_input') };
    const { state } = after({}, asks, asks, HELLO, { answer: 'take the left one' });
    assert.equal(state.phase.kind === 'turn' && state.phase.news?.includes('the left one'), true);
  });
});

describe('a file that is claimed while the life is ending', () => {
  const done: End = {
    outcome: {
      kind: 'completed',
      summary: '',
      turnNotes: { statusLine: 'DONE', notes: [] },
    } as never,
  };

  test('is the work of the next life', () => {
    const { state, begun } = after(idle, done, HALT, { other: ONE }, live(2));
    assert.deepEqual([state.work.item?.name, state.phase.kind], ['1', 'turn']);
    assert.equal(begun.filter((command) => command === 'claim-item').length, 1);
  });

  const dismiss: Signal = { kind: 'dismiss', because: 'enough' };
  const given: [why: string, end: End, name: string | null][] = [
    ['is returned when the agent ends', { other: ONE }, '1'],
    ['is returned although the claim was interrupted', { how: 'interrupted' }, null],
  ];
  for (const [why, end, name] of given)
    test(why, () => {
      const { state, ledger } = after(idle, done, dismiss, end);
      assert.deepEqual(
        [state.work.item?.name ?? null, state.work.hasUnseen],
        [name, name === null],
      );
      assert.deepEqual(
        ledger.open.map(({ command }) => command),
        ['release-item'],
      );
    });
});
