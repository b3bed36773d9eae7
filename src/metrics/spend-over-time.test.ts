import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EndedAttempt } from './ended-attempt.ts';
import { spendOverTime } from './spend-over-time.ts';

function attempt(
  endedAt: number,
  agent: string,
  costUsd: number | null,
  tokens = 10,
): EndedAttempt {
  return { endedAt, agent, costUsd, tokens } as EndedAttempt;
}

const WANTED = { since: 0, by: 'agent', parts: 2 } as const;

describe('spending over time', () => {
  test('is summed up in equal parts, in all and for each group, the dearest first', () => {
    const records = [attempt(100, 'a', 1), attempt(150, 'b', 4), attempt(200, 'a', 2)];
    const { since, partMs, total, groups } = spendOverTime(records, WANTED, 200);
    assert.deepEqual(
      { since, partMs, total: total.usd, groups: groups.map(({ name, usd }) => [name, usd]) },
      {
        since: 100,
        partMs: 50,
        total: [1, 6],
        groups: [
          ['b', [0, 4]],
          ['a', [1, 2]],
        ],
      },
    );
  });

  test('counts tokens whose cost is not known', () => {
    const { total } = spendOverTime([attempt(10, 'a', null, 7)], WANTED, 20);
    assert.deepEqual(total, { name: null, usd: [0, 0], tokens: [7, 0] });
  });

  test('leaves out what ended before the period', () => {
    const { total } = spendOverTime([attempt(10, 'a', 1)], { ...WANTED, since: 11 }, 20);
    assert.deepEqual(total.usd, [0, 0]);
  });

  test('of more groups than can be shown is that of the others together', () => {
    const records = Array.from({ length: 9 }, (_, nth) => attempt(10, `agent-${nth}`, nth));
    const { groups } = spendOverTime(records, { ...WANTED, parts: 1 }, 10);
    assert.deepEqual(
      [groups.length, groups[0], groups.at(-1)],
      [6, { name: 'agent-8', usd: [8], tokens: [10] }, { name: 'others', usd: [6], tokens: [40] }],
    );
  });
});
