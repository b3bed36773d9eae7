import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runEvent } from '../../test/support/run-event.ts';
import type { NewRunEvent } from '../protocol/event.ts';
import { EVENT_VERSION } from '../protocol/event.ts';
import type { MessageVerb, RunMessage } from '../protocol/run-message.ts';
import { RUN_MESSAGES_MAX } from '../protocol/run-message.ts';
import type { MessagesState } from '../protocol/views/message-view.ts';
import { continueMessages, foldMessages, NO_MESSAGES } from '../protocol/views/message-view.ts';
import { describeMessageState } from '../reports/message-words.ts';
import { nextDelivery, stopsTurn } from './choose-message.ts';

const A = 'aaaaaaaa';
const B = 'bbbbbbbb';

function tell(id: string, verb: MessageVerb = 'steer', rest: Partial<RunMessage> = {}) {
  const message: RunMessage = { id, verb, origin: 'person', text: id, ...rest };
  return runEvent({ type: 'signal.received', payload: { signal: { kind: 'tell', message } } });
}

const attempt = (message?: string): NewRunEvent =>
  runEvent({
    type: 'command.begun',
    payload: {
      key: 'attempt-1',
      command: 'attempt',
      input: message === undefined ? {} : { message: { id: message } },
    },
  });

const started = (messages?: string): NewRunEvent =>
  runEvent({
    type: 'command.noted',
    payload: {
      key: 'attempt-1',
      note: { kind: 'started', sandbox: 'bubblewrap', ...(messages && { messages }) },
    },
  });

const ended = (kind: string): NewRunEvent =>
  runEvent({
    type: 'command.ended',
    payload: { key: 'attempt-1', end: { kind: 'done', result: { kind } } },
  });

const delivery = (id: string, key = 'message-1'): NewRunEvent =>
  runEvent({
    type: 'command.begun',
    payload: { key, command: 'deliver-message', input: { message: { id }, channel: 'hook' } },
  });

const deliveryEnd = (end: object): NewRunEvent =>
  runEvent({
    type: 'command.ended',
    payload: { key: 'message-1', command: 'deliver-message', end },
  });

const sent = runEvent({
  type: 'command.noted',
  payload: { key: 'message-1', command: 'deliver-message', note: { kind: 'sent' } },
});
const seen = deliveryEnd({ kind: 'done', result: { kind: 'seen', request: 7, times: 1 } });
const lost = deliveryEnd({ kind: 'done', result: { kind: 'undelivered', why: 'it ended first' } });
const runEnd: NewRunEvent = {
  type: 'run.ended',
  payload: { outcome: { kind: 'succeeded', reason: 'done' } },
};

function fold(events: readonly NewRunEvent[], from: MessagesState = NO_MESSAGES): MessagesState {
  return events.reduce(
    (state, event, at) =>
      foldMessages(state, { ...event, id: at, stream: 'run/a', seq: at, v: EVENT_VERSION, at }),
    from,
  );
}

const works = [attempt(), started('hook')];

describe('the state of a message', () => {
  const cases: [why: string, events: readonly NewRunEvent[], states: readonly string[]][] = [
    ['waits before the first attempt', [tell(A)], ['queued']],
    ['is parked if the agent has no channel', [attempt(), started(), tell(A)], ['parked: ']],
    ['is parked if it came before the agent', [attempt(), tell(A), started()], ['parked: ']],
    [
      'waits again after that attempt',
      [attempt(), started(), tell(A), ended('failed')],
      ['queued'],
    ],
    [
      'is done if it only asked for the end of the turn',
      [attempt(), tell(A, 'interrupt', { text: '' }), ended('stopped')],
      ['sent, not seen: it has no text, and the turn is over'],
    ],
    [
      'waits for the end of the turn if it is queued',
      [attempt(), started(), tell(A, 'queue')],
      ['queued'],
    ],
    ['waits until it is handed over', [...works, tell(A), delivery(A)], ['queued']],
    ['is sent', [...works, tell(A), delivery(A), sent], ['sent through a hook of attempt 1']],
    [
      'is seen',
      [...works, tell(A), delivery(A), sent, seen],
      ['seen in model call 7 of attempt 1, sent through a hook'],
    ],
    [
      'waits for the next prompt if the attempt ends first',
      [...works, tell(A), delivery(A), sent, ended('completed'), lost],
      ['parked: it ended first: it waits for the next prompt'],
    ],
    [
      'waits for the next prompt if the owner ends',
      [...works, tell(A), delivery(A), sent, deliveryEnd({ kind: 'interrupted' })],
      ['parked: its delivery was interrupted: it waits for the next prompt'],
    ],
    [
      'is only sent if the gateway saw no call with it',
      [tell(A), attempt(A), started(), ended('completed')],
      ['sent with the prompt of attempt 1, not seen: no model call that had it was answered'],
    ],
    [
      'waits again if the attempt with it failed unseen',
      [tell(A), attempt(A), started(), ended('failed')],
      ['queued'],
    ],
    ['is never dropped', [tell(A), runEnd], ['parked: the run ended before it was delivered']],
    ['counts once if it is sent twice', [tell(A), tell(A)], ['queued']],
  ];
  for (const [why, events, states] of cases)
    test(why, () => {
      const words = fold(events).all.map(describeMessageState);
      assert.equal(words.length, states.length);
      for (const [at, state] of states.entries())
        assert.ok(
          state.endsWith(': ') ? words[at]?.startsWith(state) : words[at] === state,
          words[at],
        );
    });
});

test('a run takes a bounded number of messages', () => {
  const all = Array.from({ length: RUN_MESSAGES_MAX + 9 }, (_, at) =>
    tell(at.toString(16).padStart(8, '0')),
  );
  assert.equal(fold(all).all.length, RUN_MESSAGES_MAX);
});

test('a run that continues another delivers what that one could not', () => {
  const continued = continueMessages(fold([tell(A), runEnd]));
  assert.deepEqual(continued.all.map(describeMessageState), ['queued']);
});

describe('the injector', () => {
  const cases: [why: string, events: readonly NewRunEvent[], next: string | undefined][] = [
    ['delivers to an agent that works', [...works, tell(A)], A],
    ['delivers nothing before the agent has started', [attempt(), tell(A)], undefined],
    ['delivers nothing without a channel', [attempt(), started(), tell(A)], undefined],
    ['leaves queued messages for the end of the turn', [...works, tell(A, 'queue')], undefined],
    ['never has two on their way', [...works, tell(A), tell(B), delivery(A), sent], undefined],
    [
      'waits until the message of the prompt is seen',
      [tell(A), attempt(A), started('hook'), tell(B)],
      undefined,
    ],
    [
      'delivers the next one when the first is seen',
      [...works, tell(A), tell(B), delivery(A), sent, seen],
      B,
    ],
    [
      'does not offer a message to the same attempt twice',
      [...works, tell(A), delivery(A), sent, lost],
      undefined,
    ],
    ['delivers the oldest first', [...works, tell(B), tell(A)], B],
    ['delivers the more severe first', [...works, tell(B), tell(A, 'steer', { severity: 9 })], A],
    [
      'prefers a broken rule to steering',
      [
        ...works,
        tell(A, 'steer', { origin: 'steering' }),
        tell(B, 'steer', { origin: 'violation' }),
      ],
      B,
    ],
    [
      "prefers a person's words to all others",
      [...works, tell(A, 'steer', { origin: 'violation' }), tell(B, 'steer')],
      B,
    ],
  ];
  for (const [why, events, next] of cases)
    test(why, () => assert.equal(nextDelivery(fold(events))?.message.id, next));

  test('stops a turn for an interrupt, once', () => {
    const during = fold([...works, tell(A, 'interrupt')]);
    assert.equal(stopsTurn(during), true);
    assert.equal(stopsTurn(fold([ended('stopped')], during)), false);
    assert.equal(stopsTurn(fold([ended('stopped'), attempt(A)], during)), false);
  });
});
