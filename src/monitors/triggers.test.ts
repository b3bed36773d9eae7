import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Trigger, TriggerPolicy } from '../protocol/agent-rules.ts';
import { decideTrigger, DEFAULT_TRIGGERS, strongerThan } from './triggers.ts';

const ladder: TriggerPolicy = { ...DEFAULT_TRIGGERS, models: ['small', 'medium', 'large'] };
const gangs: TriggerPolicy = { ...DEFAULT_TRIGGERS, onGang: 'restart-all' };

function cut(trigger: Trigger, policy = DEFAULT_TRIGGERS, canRestart = true): string {
  const done = decideTrigger(trigger, policy, { model: 'small', canRestart });
  if (done.kind === 'ask') return `ask ${done.choices.join('|')}`;
  return `restart ${done.scope}, ${done.workspace} the work, ${done.model}`;
}

describe('fish or cut bait', () => {
  const wrong: Trigger = { kind: 'wrong-changeset', feedback: 'the tests were deleted' };
  const spinning: Trigger = { kind: 'spinning', call: 'npm test' };
  const gang: Trigger = { kind: 'gang', failed: 3 };
  const cases: [
    why: string,
    Trigger,
    expected: string,
    policy?: TriggerPolicy,
    canRestart?: boolean,
  ][] = [
    ['only a person raises a budget', { kind: 'over-budget' }, 'ask continue|stop'],
    [
      'only a person raises a budget, even if a restart is allowed',
      { kind: 'over-budget' },
      'ask continue|stop',
      ladder,
    ],
    ['rejected work is discarded', wrong, 'restart itself, discard the work, small'],
    [
      'rejected work is done again by a stronger model, if one is configured',
      wrong,
      'restart itself, discard the work, medium',
      ladder,
    ],
    [
      'a spinning agent restarts without its work',
      spinning,
      'restart itself, discard the work, small',
    ],
    [
      'a stronger model does not fix spinning',
      spinning,
      'restart itself, discard the work, small',
      ladder,
    ],
    ['a gang on a wrong path is put to a person', gang, 'ask restart-all|stop-all'],
    [
      'a gang that was decided about is restarted without another question',
      { ...gang, decided: true },
      'restart all-siblings, keep the work, small',
      DEFAULT_TRIGGERS,
      false,
    ],
    [
      'a gang is restarted without a question if the policy says so',
      gang,
      'restart all-siblings, keep the work, small',
      gangs,
    ],
    [
      'an agent that asks to be dismissed is put to a person',
      { kind: 'asks-to-abort', reason: 'x' },
      'ask dismiss|restart|continue',
    ],
    [
      'a spinning agent without restarts left is put to a person',
      spinning,
      'ask restart|stop',
      ladder,
      false,
    ],
    [
      'rejected work without restarts left is put to a person',
      wrong,
      'ask restart|stop',
      ladder,
      false,
    ],
    [
      'a gang without restarts left is put to a person',
      gang,
      'ask restart-all|stop-all',
      gangs,
      false,
    ],
  ];
  for (const [why, trigger, expected, policy, canRestart] of cases)
    test(why, () => assert.equal(cut(trigger, policy, canRestart), expected));

  test('the next life is notified of the reason', () => {
    const done = decideTrigger(wrong, ladder, { model: 'small', canRestart: true });
    assert.equal(
      done.kind === 'restart' && done.notice,
      'You were restarted due to: your work was rejected: the tests were deleted',
    );
  });

  test('the policy decides for each reason whether work is kept', () => {
    const workspace = { ...DEFAULT_TRIGGERS.workspace, spinning: 'keep' } as const;
    assert.equal(
      cut(spinning, { ...DEFAULT_TRIGGERS, workspace }),
      'restart itself, keep the work, small',
    );
  });
});

test('the strongest model, and one that is not listed, stay as they are', () => {
  const { models } = ladder;
  assert.deepEqual(
    ['small', 'large', 'another'].map((model) => strongerThan(model, models)),
    ['medium', 'large', 'another'],
  );
});
