import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { preparedAttempt } from '../../test/support/prepared-attempt.ts';
import { at } from '../base/clock.ts';
import { NO_USAGE } from '../gateway/budget/budget-ledger.ts';
import { EMPTY_TRANSCRIPT } from '../adapters/transcript.ts';
import type { AttemptEvidence } from '../failures/evidence.ts';
import type { AttemptRun } from './attempt-run.ts';
import { gatherEvidence } from './gather-evidence.ts';

const run: AttemptRun = {
  kind: 'ran',
  exit: { kind: 'code', code: 0 },
  container: null,
  stoppedBy: null,
  transcript: EMPTY_TRANSCRIPT,
  tail: { stdout: [], stderr: [] },
  answer: '',
  notes: [],
};
const timeSpent = {
  scope: 'run',
  limit: 'wall',
  cap: 1000,
  endsAt: at(1000),
  spent: NO_USAGE,
} as const;
const finished = { ...EMPTY_TRANSCRIPT, concluded: 'it works' };

describe('the evidence about a stopped agent', () => {
  const cases: [
    why: string,
    given: Partial<AttemptRun>,
    stoppedBy: AttemptEvidence['stoppedBy'],
    verdict: AttemptEvidence['verdict']['kind'],
  ][] = [
    ['has the stop of the user', { stoppedBy: 'user' }, 'user', 'done'],
    [
      'has no stop if the work was finished before',
      { stoppedBy: 'user', transcript: finished },
      null,
      'done',
    ],
    [
      'has an interruption instead of a verdict after the deadline',
      { stoppedBy: 'deadline' },
      'deadline',
      'interrupted',
    ],
    [
      'has an interruption instead of a verdict after its time budget',
      { stoppedBy: 'time-budget', timeSpent },
      'time-budget',
      'interrupted',
    ],
    [
      'has the verdict if the work was finished before the deadline',
      { stoppedBy: 'deadline', transcript: finished },
      null,
      'done',
    ],
  ];
  for (const [why, given, stoppedBy, verdict] of cases)
    test(why, async () => {
      const { attempt } = await preparedAttempt();
      const evidence = await gatherEvidence(attempt, { ...run, ...given }, null);
      assert.deepEqual([evidence.stoppedBy, evidence.verdict.kind], [stoppedBy, verdict]);
    });
});
