import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MessageOrigin } from '../protocol/run-message.ts';
import type { MessageView } from '../protocol/views/message-view.ts';
import type { InjectedWords } from '../steering/injector.ts';
import { messageOf, refuseWords } from './admit-words.ts';

function message(origin: MessageOrigin, state: MessageView['state']): MessageView {
  return {
    ...{ id: 'aaaaaaaa', verb: 'steer', origin, text: 'x', at: 0, state, why: null },
    ...{ channel: null, attempt: null, sentAt: null, seenAt: null, request: null, times: null },
  };
}

describe('words of a program', () => {
  const cases: [
    why: string,
    all: readonly MessageView[],
    words: Pick<InjectedWords, 'origin' | 'to'>,
    refused: string | undefined,
  ][] = [
    ['are admitted', [], { origin: 'steering', to: 'main' }, undefined],
    [
      'do not reach a subagent',
      [],
      { origin: 'steering', to: 'sub' },
      'no message reaches the conversation of a subagent',
    ],
    [
      'yield to a person who has not been heard yet',
      [message('person', 'queued')],
      { origin: 'steering', to: 'main' },
      "a person's words come first",
    ],
    [
      'yield to a warning that is on its way',
      [message('violation', 'sent')],
      { origin: 'steering', to: 'main' },
      'a warning about a rule comes first',
    ],
    [
      'do not queue up behind each other',
      [message('steering', 'parked')],
      { origin: 'steering', to: 'main' },
      'an earlier message has not been read yet',
    ],
    [
      'are admitted when the earlier ones were seen',
      [message('person', 'seen'), message('steering', 'seen')],
      { origin: 'steering', to: 'main' },
      undefined,
    ],
    [
      'about a rule wait for their turn',
      [message('person', 'queued')],
      { origin: 'violation', to: 'main' },
      undefined,
    ],
    [
      'leave room for a person',
      Array.from({ length: 100 }, () => message('steering', 'seen')),
      { origin: 'steering', to: 'main' },
      'the run has had 100 messages of this kind',
    ],
  ];
  for (const [why, all, words, refused] of cases)
    test(why, () => assert.equal(refuseWords({ all }, words)?.why, refused));

  test('with the same cause are the same message', () => {
    const words = { origin: 'steering', text: 'x', to: 'main', cause: 'turn 6' } as const;
    const made = messageOf('r', words);
    assert.match(made.id, /^[0-9a-f]{8}$/);
    assert.deepEqual(made, { id: made.id, verb: 'steer', origin: 'steering', text: 'x' });
    assert.equal(messageOf('r', { ...words, text: 'y' }).id, made.id);
    assert.notEqual(messageOf('r', { ...words, cause: 'turn 9' }).id, made.id);
    assert.notEqual(messageOf('s', words).id, made.id);
  });
});
