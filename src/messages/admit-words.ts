/** Whether words of a program become a message of the run. Words of a person always do. */
import { hashText } from '../base/hash-text.ts';
import type { MessageOrigin, RunMessage } from '../protocol/run-message.ts';
import { RUN_MESSAGES_MAX } from '../protocol/run-message.ts';
import type { MessagesState } from '../protocol/views/message-view.ts';
import { isDone } from '../protocol/views/message-view.ts';
import type { Injected, InjectedWords } from '../steering/injector.ts';

const ID_DIGITS = 8;
/** The other half is for people. */
const OF_PROGRAMS_MAX = RUN_MESSAGES_MAX / 2;

const EARLIER: Readonly<Record<MessageOrigin, string>> = {
  person: "a person's words come first",
  violation: 'a warning about a rule comes first',
  feedback: 'the feedback of a check comes first',
  steering: 'an earlier message has not been read yet',
};

/**
 * Undefined: they are admitted. What a detector noticed is stale when other words have had their turn, and it is found
 * again if it lasts. So it does not queue up behind them.
 */
export function refuseWords(
  { all }: Pick<MessagesState, 'all'>,
  { origin, to }: Pick<InjectedWords, 'origin' | 'to'>,
): Extract<Injected, { kind: 'undelivered' }> | undefined {
  if (to === 'sub') return undelivered('no message reaches the conversation of a subagent');
  const waiting = all.find((one) => !isDone(one));
  if (origin === 'steering' && waiting !== undefined) return undelivered(EARLIER[waiting.origin]);
  const ofPrograms = all.filter((one) => one.origin !== 'person').length;
  if (ofPrograms < OF_PROGRAMS_MAX) return undefined;
  return undelivered(`the run has had ${ofPrograms} messages of this kind`);
}

/** The same cause gives the same id, so it is one message. */
export function messageOf(run: string, { origin, text, cause }: InjectedWords): RunMessage {
  const id = hashText(`${run} ${origin} ${cause}`).slice(0, ID_DIGITS);
  return { id, verb: 'steer', origin, text };
}

function undelivered(why: string): Extract<Injected, { kind: 'undelivered' }> {
  return { kind: 'undelivered', why };
}
