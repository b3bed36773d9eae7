import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { JudgedAgent } from './choose-best.ts';
import { chooseBest } from './choose-best.ts';

function candidate(
  agent: string,
  kind: RunOutcome['kind'],
  costUsd: number | null = null,
): JudgedAgent {
  return { agent, run: `run-${agent}`, outcome: { kind, reason: 'so it is' }, costUsd };
}

const TABLE: readonly [
  why: string,
  given: readonly JudgedAgent[],
  best: number | null,
  words: string,
][] = [
  [
    'only work with green gates is chosen',
    [candidate('a', 'failed'), candidate('b', 'succeeded', 5)],
    1,
    'b is the best of 2: its gates are green, and no other one is as good',
  ],
  [
    'proved work is better than cheaper work without proof',
    [candidate('a', 'unverified', 1), candidate('b', 'succeeded', 5)],
    1,
    'b is the best of 2: its gates are green, and no other one is as good',
  ],
  [
    'of equal work the cheapest is chosen',
    [
      candidate('a', 'succeeded', 0.3),
      candidate('b', 'succeeded', 0.1),
      candidate('c', 'succeeded', 0.2),
    ],
    1,
    'b is the best of 3: its gates are green, and a, c are as good, but it cost $0.1000 instead of $0.2000 or more',
  ],
  [
    'a known cost is better than an unknown one',
    [candidate('a', 'succeeded'), candidate('b', 'succeeded', 9)],
    1,
    'b is the best of 2: its gates are green, and a is as good, but it cost $9.0000 instead of an unknown cost',
  ],
  [
    'the order of the chain decides between equal costs',
    [candidate('a', 'succeeded', 1), candidate('b', 'succeeded', 1)],
    0,
    'a is the best of 2: its gates are green, and b is as good for the same $1.0000, and it comes first in the chain',
  ],
  [
    'the order of the chain decides if no cost is known',
    [candidate('a', 'failed'), candidate('b', 'unverified'), candidate('c', 'unverified')],
    1,
    'b is the best of 3: it is done, and no gate has proved its work, and c is as good, no cost is known, and it comes first in the chain',
  ],
  [
    'if none did the task, none is chosen',
    [candidate('a', 'failed', 0), candidate('b', 'exhausted', 0)],
    null,
    'none of 2 agents did the task. a failed: so it is; b exhausted: so it is',
  ],
  [
    'a stopped candidate is never chosen',
    [candidate('a', 'cancelled', 0)],
    null,
    'none of 1 agent did the task. a cancelled: so it is',
  ],
];

describe('the best of several agents', () => {
  for (const [why, given, best, words] of TABLE)
    test(why, () => {
      assert.deepEqual(chooseBest(given), { best, why: words });
    });
});
