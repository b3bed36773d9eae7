import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContinuedRun } from './continuations.ts';
import { continuations } from './continuations.ts';

function run(id: string, continues: string | null, submittedAt: number): ContinuedRun {
  return { id, continues, submittedAt };
}

const cases: [why: string, runs: readonly ContinuedRun[], expected: [string, string][]][] = [
  ['a run that no other continues', [run('a', null, 1)], []],
  ['a run that was resumed', [run('b', 'a', 2), run('a', null, 1)], [['a', 'b']]],
  [
    'a chain ends with its newest run',
    [run('c', 'b', 3), run('b', 'a', 2), run('a', null, 1)],
    [
      ['a', 'c'],
      ['b', 'c'],
    ],
  ],
  [
    'of two continuations of one run, the newer counts',
    [run('a', null, 1), run('c', 'a', 3), run('b', 'a', 2)],
    [['a', 'c']],
  ],
  ['the run that is continued is not in the list', [run('b', 'a', 2)], [['a', 'b']]],
];

for (const [why, runs, expected] of cases)
  test(`continuations: ${why}`, () => {
    assert.deepEqual([...continuations(runs)], expected);
  });
