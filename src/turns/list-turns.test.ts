import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TurnRecord, TurnStep } from '../protocol/turn.ts';
import type { RecordedTurn } from './list-turns.ts';
import { listTurns } from './list-turns.ts';

type Given = {
  steps?: string;
  calls?: string;
  conversation?: string;
  attempt?: string;
  text?: string;
};

/** `a b!`: two steps, of which the second failed. */
function steps(words: string): readonly TurnStep[] {
  return words.split(' ').flatMap((word): TurnStep[] => {
    const tool = word.replace('!', '');
    const error = word.endsWith('!') ? { error: 'execution' as const } : {};
    return tool === '' ? [] : [{ id: tool, tool, signature: tool, output: 'o', ...error }];
  });
}

function recorded(number: number, given: Given): RecordedTurn {
  const { conversation = 'c', attempt = 'attempt-1', text = '' } = given;
  const turn: TurnRecord = {
    ...{ conversation, kind: 'main', number, model: 'm', text, stop: null },
    steps: steps(given.steps ?? ''),
    calls: steps(given.calls ?? '').map(({ tool, signature }) => ({ tool, signature })),
    ...{ contextTokens: null, contextTokensMax: null, outputTokens: null },
  };
  return { attempt, at: number, turn };
}

describe('the turns of a run', () => {
  const cases: [why: string, given: readonly RecordedTurn[], expected: readonly string[]][] = [
    [
      'a call has the result that the next turn knows',
      [recorded(1, { calls: 'a b' }), recorded(2, { steps: 'a b!', text: 'done' })],
      ['1 a ok, b execution', '2'],
    ],
    ['the last call has no result', [recorded(1, { calls: 'a' })], ['1 a ?']],
    [
      'of a retried turn, the last record counts',
      [recorded(1, { calls: 'a' }), recorded(1, { calls: 'b' })],
      ['1 b ?'],
    ],
    [
      'conversations are separate',
      [
        recorded(1, { calls: 'a' }),
        recorded(1, { calls: 'x', conversation: 'sub' }),
        recorded(2, { steps: 'a' }),
      ],
      ['1 a ok', '1 x ?', '2'],
    ],
    [
      'attempts are separate',
      [recorded(1, { calls: 'a' }), recorded(2, { steps: 'b', attempt: 'attempt-2' })],
      ['1 a ?', '2'],
    ],
    [
      'a call that the agent changed before it ran is listed as it ran',
      [recorded(1, { calls: 'a b' }), recorded(2, { steps: 'b z' })],
      ['1 b ok, z ok', '2'],
    ],
  ];
  for (const [why, given, expected] of cases)
    test(why, () => {
      const words = listTurns(given).map(({ number, calls }) =>
        `${number} ${calls.map(({ tool, result }) => `${tool} ${result === null ? '?' : (result.error ?? 'ok')}`).join(', ')}`.trim(),
      );
      assert.deepEqual(words, expected);
    });
});
