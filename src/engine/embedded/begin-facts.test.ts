import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import { childRunId, commandKey } from '../../base/ids.ts';
import type { NewEvent } from '../../protocol/event.ts';
import type { Ledger } from '../ledger.ts';
import { EMPTY_LEDGER } from '../ledger.ts';
import type { Move } from '../program.ts';
import { fakeSubmission } from '../../testing/fakes/fake-program.ts';
import { beginAllFacts, beginFacts, endedFact } from './begin-facts.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import type { Command } from '../../protocol/commands.ts';

const key = commandKey('a-1');
const run = '0123456789' as RunId;

function opened(command: Command): Ledger {
  const one = { key, command, limits: [], until: null, cancelled: null };
  return { ...EMPTY_LEDGER, open: [one] };
}

function begun(command: string, input: Record<string, unknown>, limits: string[] = []): NewEvent {
  return runEvent({ type: 'command.begun', payload: { key, command, input, limits } });
}

describe('the events that are recorded for a move', () => {
  const outcome = { kind: 'failed', reason: 'x' } as const;
  const called: NewEvent = { type: 'command.cancelled', payload: { key, how: 'ask' } };
  const off = (command: Command): NewEvent =>
    endedFact({ key, command }, { kind: 'done', result: { cancelled: true } });
  const submission = fakeSubmission([{ ask: '?' }]);
  const refused = (reason: string): NewEvent =>
    endedFact(
      { key, command: 'run' },
      { kind: 'done', result: { run: null, outcome: { kind: 'refused', reason } } },
    );
  const cancel: Move = { kind: 'cancel', key, how: 'ask' };
  const cases: [why: string, move: Move, ledger: Ledger, facts: NewEvent[]][] = [
    [
      'a performed command',
      {
        kind: 'perform',
        key,
        command: 'claim-item',
        input: { dir: 'a', waits: true },
        limits: ['x'],
      },
      EMPTY_LEDGER,
      [begun('claim-item', { dir: 'a', waits: true }, ['x'])],
    ],
    [
      'a performed command without limits',
      { kind: 'perform', key, command: 'claim-item', input: { dir: 'a', waits: true } },
      EMPTY_LEDGER,
      [begun('claim-item', { dir: 'a', waits: true })],
    ],
    [
      'a wait',
      { kind: 'wait', key, until: at(5), reason: 'retry', why: 'w' },
      EMPTY_LEDGER,
      [begun('wait', { until: 5, reason: 'retry', why: 'w' })],
    ],
    [
      'a question',
      { kind: 'ask', key, question: '?' },
      EMPTY_LEDGER,
      [begun('ask', { question: '?' })],
    ],
    [
      'cancelling a performed command, whose performer reports the end',
      cancel,
      opened('claim-item'),
      [called],
    ],
    ['cancelling a wait ends it', cancel, opened('wait'), [called, off('wait')]],
    ['cancelling a question ends it', cancel, opened('ask'), [called, off('ask')]],
    [
      'a child run',
      { kind: 'run', key, submission },
      EMPTY_LEDGER,
      [begun('run', { run: childRunId(run, key), submission })],
    ],
    [
      'a child run that is nested too deep',
      { kind: 'run', key, submission },
      { ...EMPTY_LEDGER, depth: 4 },
      [
        begun('run', { run: childRunId(run, key), submission }),
        refused('Runs can be nested 4 deep, and this run is at depth 4.'),
      ],
    ],
    ['cancelling a child run waits for its end', cancel, opened('run'), [called]],
    [
      'the end of the run',
      { kind: 'finish', outcome },
      EMPTY_LEDGER,
      [{ type: 'run.ended', payload: { outcome } }],
    ],
  ];
  for (const [why, move, ledger, facts] of cases)
    test(why, () => assert.deepEqual(beginFacts(run, move, ledger), facts));

  test('children that begin together count for one another', () => {
    const moves: Move[] = ['b-1', 'b-2'].map((name) => ({
      kind: 'run',
      key: commandKey(name),
      submission,
    }));
    const facts = beginAllFacts(run, moves, { ...EMPTY_LEDGER, children: 199 });
    assert.deepEqual(
      facts.map(({ type, payload }) => `${type} ${'key' in payload ? payload.key : ''}`),
      ['command.begun b-1', 'command.begun b-2', 'command.ended b-2'],
    );
  });

  for (const until of [Number.NaN, Infinity, -Infinity]) {
    test(`a wait until ${until} is a defect, since it would have no end on disk`, () => {
      assert.throws(
        () =>
          beginFacts(
            run,
            { kind: 'wait', key, until: at(until), reason: 'timer', why: '' },
            EMPTY_LEDGER,
          ),
        TypeError,
      );
    });
  }

  for (const command of ['wait', 'ask', 'run']) {
    test(`a performed command with the engine's own name ${command} is a defect`, () => {
      assert.throws(
        () =>
          beginFacts(
            run,
            { kind: 'perform', key, command, input: {} } as unknown as Move,
            EMPTY_LEDGER,
          ),
        TypeError,
      );
    });
  }
});
