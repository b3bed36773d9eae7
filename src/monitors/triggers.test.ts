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
    ['more money is for a person to give', { kind: 'over-budget' }, 'ask continue|stop'],
    ['even where a restart would be allowed', { kind: 'over-budget' }, 'ask continue|stop', ladder],
    ['wrong work is thrown away', wrong, 'restart itself, discard the work, small'],
    [
      'and done again by a stronger model, where one is named',
      wrong,
      'restart itself, discard the work, medium',
      ladder,
    ],
    [
      'who spins begins again without what it made',
      spinning,
      'restart itself, discard the work, small',
    ],
    [
      'a stronger model does not cure spinning',
      spinning,
      'restart itself, discard the work, small',
      ladder,
    ],
    ['a gang on a wrong path is a question', gang, 'ask restart-all|stop-all'],
    [
      'once, and not for each of them',
      { ...gang, decided: true },
      'restart all-siblings, keep the work, small',
      DEFAULT_TRIGGERS,
      false,
    ],
    ['or a new beginning for all of it', gang, 'restart all-siblings, keep the work, small', gangs],
    [
      'who asks to be let go is heard by a person',
      { kind: 'asks-to-abort', reason: 'x' },
      'ask dismiss|restart|continue',
    ],
    [
      'who may not be restarted any more is a question',
      spinning,
      'ask restart|stop',
      ladder,
      false,
    ],
    ['also when its work was wrong', wrong, 'ask restart|stop', ladder, false],
    ['also when it is a gang', gang, 'ask restart-all|stop-all', gangs, false],
  ];
  for (const [why, trigger, expected, policy, canRestart] of cases)
    test(why, () => assert.equal(cut(trigger, policy, canRestart), expected));

  test('the new one is told what the old one did', () => {
    const done = decideTrigger(wrong, ladder, { model: 'small', canRestart: true });
    assert.equal(
      done.kind === 'restart' && done.notice,
      'You were restarted due to: your work was rejected: the tests were deleted',
    );
  });

  test('what becomes of the work can be said for each reason', () => {
    const workspace = { ...DEFAULT_TRIGGERS.workspace, spinning: 'keep' } as const;
    assert.equal(
      cut(spinning, { ...DEFAULT_TRIGGERS, workspace }),
      'restart itself, keep the work, small',
    );
  });
});

test('the strongest model, and one that is not on the ladder, stay as they are', () => {
  const { models } = ladder;
  assert.deepEqual(
    ['small', 'large', 'another'].map((model) => strongerThan(model, models)),
    ['medium', 'large', 'another'],
  );
});
