import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failed, read, recordsOf, turn, turns } from '../../test/support/turn-script.ts';
import type { PinnedSteering } from '../protocol/contracts/steering-contract.ts';
import { DEFAULT_STEERING } from '../protocol/contracts/steering-contract.ts';
import type { RecordedTurn } from '../turns/list-turns.ts';
import { replayTurns } from './replay.ts';

const idle = recorded(
  'attempt-1',
  turns(20, () => turn(read('a.ts'))),
);

function recorded(
  attempt: string,
  script: Parameters<typeof recordsOf>[0],
): readonly RecordedTurn[] {
  return recordsOf(script).map((one, at) => ({ attempt, at, turn: one }));
}

describe('a replay', () => {
  const cases: [
    why: string,
    turns: readonly RecordedTurn[],
    steering: Partial<PinnedSteering>,
    expected: readonly string[],
  ][] = [
    [
      'finds what the thresholds find',
      idle,
      { thresholds: { 'stagnation.calls': 20 } },
      ['15 stall', '18 stall', '21 stall', '21 stagnation'],
    ],
    [
      'finds less with a higher threshold',
      idle,
      { thresholds: { 'stall.turns': 20, 'stagnation.calls': 20 } },
      ['21 stagnation'],
    ],
    [
      'watches with every detector, although all are off',
      recorded(
        'attempt-1',
        turns(5, () => turn(failed('x'))),
      ),
      { mode: 'off', modes: { loop: 'off' } },
      ['6 loop'],
    ],
    [
      'begins again in each attempt',
      [
        ...recorded(
          'attempt-1',
          turns(2, () => turn(failed('x'))),
        ),
        ...recorded(
          'attempt-2',
          turns(2, () => turn(failed('x'))),
        ),
      ],
      {},
      [],
    ],
    ['finds nothing without turns', [], {}, []],
  ];
  for (const [why, given, steering, expected] of cases)
    test(why, () => {
      const found = replayTurns(
        given,
        { ...DEFAULT_STEERING, ...steering },
        { run: 'r', role: null },
      );
      assert.deepEqual(
        found.map((one) => `${one.turn} ${one.detector}`),
        expected,
      );
    });
});
