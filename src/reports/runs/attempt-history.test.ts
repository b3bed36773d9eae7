import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttemptHistory } from './attempt-history.ts';
import { noteAttempt } from './attempt-history.ts';

test('the budget that a resume needs is an amount that a person can type', () => {
  const cases: [cap: number, needs: number, raised: number][] = [
    [0.19, 2.74, 2.93], // as a sum 2.9299999999999997
    [0.1, 0.2, 0.3],
    [5, 1.111, 10],
  ];
  const attempt = {} as AttemptHistory;
  for (const [cap, needs, raised] of cases) {
    const over = { kind: 'over-budget', scope: 'run', limit: 'usd', because: 'spent' } as const;
    assert.equal(noteAttempt(attempt, { ...over, cap, needs }).raised?.cap, raised);
  }
});

test('a budget in tokens is raised in tokens, and that of a project by an answer only', () => {
  const over = { kind: 'over-budget', scope: 'run', limit: 'tokens', because: 'spent' } as const;
  const { raise, raised } = noteAttempt({} as AttemptHistory, {
    ...over,
    cap: 1000,
    needs: 40_000,
  });
  assert.deepEqual(
    [raise, raised],
    [
      { limit: 'tokens', by: 40_000 },
      { limit: 'tokens', cap: 41_000 },
    ],
  );
  const shared = noteAttempt({} as AttemptHistory, { ...over, scope: 'project', cap: 1000 });
  assert.deepEqual([shared.raise, shared.raised], [{ limit: 'tokens', by: 1000 }, null]);
});
