import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureClass } from '../failures/failure.ts';
import { FAILURE_REASONS } from '../protocol/failure-reason.ts';
import type { RetryPolicy } from '../protocol/workflow-definition.ts';
import { recoveryAction } from './recovery-table.ts';
import type { FailureFacts, Recovery } from './step-recovery.ts';
import { decideRecovery, retryWaitMs } from './step-recovery.ts';

const RETRY: RetryPolicy = {
  ...{ attemptsMax: 3, initialMs: 2000, multiplier: 2, waitMaxMs: 30_000, jitter: 0.1 },
  whenUsedUp: 'fail',
};
const facts = (more: Partial<FailureFacts> = {}): FailureFacts => ({
  ...{ action: 'same', failed: 1, level: 'full', retry: RETRY, isBreakerOpen: false },
  ...more,
});

const ROWS: readonly (readonly [why: string, facts: FailureFacts, expected: Recovery])[] = [
  ['a passing failure waits first', facts(), { kind: 'wait', nth: 1 }],
  ['the second wait is another one', facts({ failed: 2 }), { kind: 'wait', nth: 2 }],
  ['the last try fails for good', facts({ failed: 3 }), { kind: 'fail' }],
  ['a fixable failure is repeated at once', facts({ action: 'with-feedback' }), { kind: 'again' }],
  ['an unknown failure is tried once more', facts({ action: 'once' }), { kind: 'wait', nth: 1 }],
  ['and then a person decides', facts({ action: 'once', failed: 2 }), { kind: 'ask' }],
  [
    'an unknown failure is not tried more often than its policy says',
    facts({ action: 'once', retry: { ...RETRY, attemptsMax: 1 } }),
    { kind: 'ask' },
  ],
  ['a fatal failure is never repeated', facts({ action: 'escalate' }), { kind: 'ask' }],
  ['an open breaker asks a person', facts({ isBreakerOpen: true }), { kind: 'ask' }],
  [
    'a policy may ask after the last try',
    facts({ failed: 3, retry: { ...RETRY, whenUsedUp: 'ask' } }),
    { kind: 'ask' },
  ],
  [
    'a policy may try a simpler form',
    facts({ failed: 3, retry: { ...RETRY, whenUsedUp: 'degrade' } }),
    { kind: 'degrade', level: 'core' },
  ],
  ['then the simplest one', facts({ level: 'core' }), { kind: 'degrade', level: 'minimal' }],
  ['and then no other', facts({ level: 'minimal' }), { kind: 'fail' }],
  [
    'a simpler form is not tried after a fatal failure',
    facts({ level: 'core', action: 'escalate' }),
    { kind: 'ask' },
  ],
];

describe('the recovery of a step', () => {
  for (const [why, given, expected] of ROWS)
    test(why, () => assert.deepEqual(decideRecovery(given), expected));

  test('retries nothing that is terminal, and everything that passes by itself', () => {
    const actions = FAILURE_REASONS.map((reason) => {
      const { recovery } = failureClass(reason);
      return [reason, recovery, recoveryAction(reason)] as const;
    });
    const wrong = actions.filter(
      ([, recovery, action]) =>
        (recovery === 'terminal' && action !== 'escalate') ||
        (recovery === 'transient' && action !== 'same') ||
        (recovery === 'unknown' && action !== 'once'),
    );
    assert.deepEqual(wrong, []);
    assert.equal(recoveryAction('auth'), 'escalate');
  });

  test('waits longer each time, within its bound and its jitter', () => {
    const waits = [1, 2, 3, 9].map((nth) => retryWaitMs(RETRY, nth, 0.5));
    assert.deepEqual(waits, [2000, 4000, 8000, 30_000]);
    assert.deepEqual([retryWaitMs(RETRY, 1, 0), retryWaitMs(RETRY, 1, 1)], [1800, 2200]);
  });
});
