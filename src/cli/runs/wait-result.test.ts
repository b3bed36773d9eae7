import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { CutOff } from './wait-result.ts';
import { decideWait } from './wait-result.ts';

type Kind = RunOutcome['kind'] | 'open';
type Expected = readonly [code: number, error: string | undefined, worst: string | null] | null;

const LATE: CutOff = { kind: 'timeout', afterMs: 60_000 };
const CTRL_C: CutOff = { kind: 'signal', signal: 'SIGINT' };
const TERM: CutOff = { kind: 'signal', signal: 'SIGTERM' };
const [ALL, ANY] = [false, true];

describe('a wait for runs', () => {
  const cases: [
    why: string,
    kinds: readonly Kind[],
    any: boolean,
    cutOff: CutOff | undefined,
    expected: Expected,
  ][] = [
    ['continues while a run is open', ['succeeded', 'open'], ALL, undefined, null],
    [
      'ends well with all of them',
      ['succeeded', 'unverified'],
      ALL,
      undefined,
      [0, undefined, null],
    ],
    ['has the code of a run that failed', ['failed'], ALL, undefined, [1, 'run.failed', 'run0']],
    [
      'prefers a stopped run to a failed one',
      ['failed', 'cancelled'],
      ALL,
      undefined,
      [130, 'run.cancelled', 'run1'],
    ],
    [
      'prefers a killed run to all others',
      ['cancelled', 'killed', 'blocked'],
      ALL,
      undefined,
      [137, 'run.killed', 'run1'],
    ],
    [
      'prefers the first of equals',
      ['exhausted', 'failed'],
      ALL,
      undefined,
      [1, 'run.exhausted', 'run0'],
    ],
    [
      'for any ends with the first end',
      ['open', 'refused'],
      ANY,
      undefined,
      [1, 'run.refused', 'run1'],
    ],
    ['for any continues without an end', ['open', 'open'], ANY, undefined, null],
    ['is late although one has failed', ['open', 'failed'], ALL, LATE, [124, 'wait.timeout', null]],
    ['is not late after the last end', ['succeeded'], ALL, LATE, [0, undefined, null]],
    ['can be left', ['open'], ALL, CTRL_C, [130, 'command.interrupted', null]],
    ['can be terminated', ['open'], ANY, TERM, [143, 'command.interrupted', null]],
  ];
  for (const [why, kinds, any, cutOff, expected] of cases)
    test(why, () => {
      const runs = kinds.map((kind, index) => ({
        id: `run${index}`,
        outcome: kind === 'open' ? null : { kind, reason: 'because' },
      }));
      const result = decideWait(runs, any, cutOff);
      const got = result && [result.code, result.error?.code, result.worst];
      assert.deepEqual(got ?? null, expected);
    });

  test('says which runs are left, and how to wait for them again', () => {
    const open = ['a', 'b'].map((id) => ({ id, outcome: null }));
    assert.deepEqual(decideWait(open, false, LATE)?.error, {
      code: 'wait.timeout',
      message: 'The runs a, b have not ended within 1m00s.',
      remedy: 'Wait again with: supervisor wait a b',
      file: null,
      key: null,
      line: null,
    });
  });
});
