import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EndedAttempt } from '../../metrics/ended-attempt.ts';
import { summarizeAttempts } from '../../metrics/summarize-attempts.ts';
import type { CliContext } from '../cli-context.ts';
import { formatMetrics } from './metrics-text.ts';

const RECORD: EndedAttempt = {
  ...{ run: 'a', endedAt: 1, role: 'writer', cli: 'claude', agent: 'main', model: null },
  ...{ task: 'task', workflow: null, step: null, end: 'completed', reason: null, category: null },
  ...{
    verdict: null,
    isRetry: false,
    leftDefault: false,
    durationMs: 1,
    modelMs: null,
    throttledMs: 0,
    queuedMs: 0,
  },
  ...{ tokens: null, costUsd: null },
};
const CONTEXT = {
  terminal: { isTty: false, width: 80, colour: false },
} as unknown as CliContext;

/** Each run has one first attempt, and so many retries. */
function shown(runs: number, retries: number, by: 'role' | 'cli' = 'role'): string {
  const records = Array.from({ length: runs }, (_, nth) =>
    Array.from({ length: retries + 1 }, (__, attempt) => ({
      ...RECORD,
      run: `r${nth}`,
      isRetry: attempt > 0,
    })),
  ).flat();
  return formatMetrics(CONTEXT, summarizeAttempts(records, { since: 0, until: 2, by, leftOut: 0 }));
}

describe('a role that needs many retries', () => {
  const told = /writer needs 3\.0 retries for each run: change its instructions/;
  test('is named if it had enough runs', () => assert.match(shown(5, 3), told));
  test('is not named with two retries for each run', () =>
    assert.doesNotMatch(shown(5, 2), /retries for each run/));
  test('is not named after four runs', () => assert.doesNotMatch(shown(4, 3), told));
  test('is named only where roles are compared', () =>
    assert.doesNotMatch(shown(5, 3, 'cli'), told));
});

test('the best CLI of each task is named', () => {
  const of = (task: string, cli: string, verdict: 'green' | 'red'): readonly EndedAttempt[] =>
    Array.from({ length: 10 }, () => ({ ...RECORD, task, cli, verdict }));
  const records = [
    ...[...of('plan', 'claude', 'green'), ...of('plan', 'codex', 'red')],
    ...[...of('review', 'claude', 'red'), ...of('review', 'codex', 'green')],
  ];
  const about = { since: 0, until: 2, by: 'cli-per-task', leftOut: 0 } as const;
  assert.match(
    formatMetrics(CONTEXT, summarizeAttempts(records, about)),
    /^Best: plan: claude, review: codex\. Each of them has the highest share/m,
  );
});
