import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NewNotificationEvent, NotificationEvent } from '../../protocol/event.ts';
import { describeUndelivered, undeliveredByRun } from './undelivered.ts';

const begun = (seq: number, to?: string): NewNotificationEvent => ({
  type: 'notification.begun',
  payload: {
    run: 'a',
    seq,
    about: seq < 9 ? 'asks' : 'ended',
    ...(to === undefined ? {} : { to }),
  },
});
const ended = (seq: number, how: string, to?: string): NewNotificationEvent => ({
  type: 'notification.ended',
  payload: { run: 'a', seq, how, ...(to === undefined ? {} : { to }) },
});

const table: readonly (readonly [
  why: string,
  facts: readonly NewNotificationEvent[],
  told: readonly string[],
])[] = [
  ['a notification that arrived is no news', [begun(9), ended(9, 'delivered')], []],
  [
    'one that did not arrive is told with its reason',
    [begun(9), ended(9, 'not delivered: the command ended with 4')],
    ['Notification that it has ended: not delivered: the command ended with 4'],
  ],
  [
    'receivers of the settings are told apart by their names',
    [begun(9), begun(9, 'team'), ended(9, 'delivered'), ended(9, 'not delivered: late', 'team')],
    ['Notification to team that it has ended: not delivered: late'],
  ],
  [
    'equal failures are told once',
    [begun(3), ended(3, 'not delivered: late'), begun(5), ended(5, 'not delivered: late')],
    ['Notification that it has a question: not delivered: late'],
  ],
  [
    'what it was about is left out if that fact was not read',
    [ended(9, 'not delivered: late')],
    ['Notification: not delivered: late'],
  ],
];

describe('a notification that did not arrive', () => {
  for (const [why, facts, told] of table)
    it(why, () => {
      const stored = facts.map((fact, index) => ({
        ...fact,
        id: index,
        seq: index,
        stream: 'notifications',
        v: 1,
        at: index,
      })) as NotificationEvent[];
      const found = undeliveredByRun(stored).get('a') ?? [];
      assert.deepEqual(found.map(describeUndelivered), told);
    });
});
