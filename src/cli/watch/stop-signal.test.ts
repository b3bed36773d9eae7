import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '../../base/errors.ts';
import { StopSignal } from './stop-signal.ts';

const GONE = new Refusal({ code: 'owner.unreachable', message: 'The owner does not answer.' });
const ENDED = new Refusal({ code: 'run.already-ended', message: 'The run has ended.' });
const OTHER = new Refusal({ code: 'usage.invalid', message: 'No such signal.' });

/** An owner that gives these answers in turn, and a clock that does not wait. */
function stopSignal(answers: readonly (Refusal | 'ok')[], onSleep = (): void => {}) {
  const sent: string[] = [];
  const told: string[] = [];
  const signal = new StopSignal({
    clock: {
      sleep: async () => {
        onSleep();
        return true;
      },
    },
    run: 'd86c57e7ac',
    client: () => ({
      signal: async (_run, { kind }) => {
        const answer = answers[sent.length] ?? GONE;
        sent.push(kind);
        if (answer !== 'ok') throw answer;
        return undefined as never;
      },
    }),
    tell: (text) => told.push(text),
  });
  return { signal, sent, told };
}

describe('a stop that the owner does not answer', () => {
  const again = 'The owner does not answer. The stop is sent again.';
  const cases: [why: string, answers: (Refusal | 'ok')[], sends: number, told: string[]][] = [
    ['is sent once if it is answered', ['ok'], 1, []],
    ['is sent until it is delivered, and that is said once', [GONE, GONE, 'ok'], 3, [again]],
    ['is not needed by a run that has ended', [GONE, ENDED], 2, [again]],
    ['says any other refusal', [OTHER], 1, ['Could not stop the run: No such signal.']],
    [
      'is given up after some time, with the command to try',
      [],
      10,
      [
        again,
        'Could not stop the run: the owner did not answer 10 times. It may still run. Try again with: supervisor stop d86c57e7ac',
      ],
    ],
  ];
  for (const [why, answers, sends, expected] of cases)
    test(why, async () => {
      const { signal, sent, told } = stopSignal(answers);
      await signal.send('stop');
      assert.equal(sent.length, sends);
      assert.deepEqual(told, expected);
    });

  test('is replaced by a kill, and ends with the run', async () => {
    let killed: Promise<void> | undefined;
    const at = stopSignal([GONE, 'ok'], () => {
      killed ??= at.signal.send('kill');
    });
    await at.signal.send('stop');
    await killed;
    assert.deepEqual(at.sent, ['stop', 'kill']);
    const closed = stopSignal([], () => closed.signal.close());
    await closed.signal.send('stop');
    assert.deepEqual(closed.sent, ['stop']);
  });
});
