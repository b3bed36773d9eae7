/**
 * The one way by which words reach a running agent: steering, warnings about rules, feedback and words of a person. Each
 * becomes a message of the run. One pure function chooses the next one (`src/messages`), so two never share a turn.
 */
import type { MessageOrigin } from '../protocol/run-message.ts';
import type { ConversationKind } from '../protocol/turn.ts';

/** Words of a program for a running agent. A person uses `supervisor steer`. */
export type InjectedWords = {
  readonly origin: Exclude<MessageOrigin, 'person'>;
  /** At most three sentences: what is wrong, one action, and where it was seen. No label: the message gets one. */
  readonly text: string;
  /** The conversation that is to read them. Only the main conversation of an agent can be reached. */
  readonly to: ConversationKind;
  /** What they are about, such as an attempt, a conversation and a turn. The same cause is told once. */
  readonly cause: string;
};

/** Each names what to tell a person. `message`: the id of the message, whose receipts are in the journal. */
export type Injected =
  /** It waits for the next boundary of a turn. */
  | { readonly kind: 'queued'; readonly message: string }
  /** This agent takes none while it works. The message waits for the next prompt. */
  | { readonly kind: 'parked'; readonly message: string; readonly why: string }
  /** There is no message. */
  | { readonly kind: 'undelivered'; readonly why: string };

export interface Injector {
  /** Resolves when the message is durable. Its delivery is not waited for. */
  inject(words: InjectedWords): Promise<Injected>;
}

/** For an agent that cannot be reached while it works. */
export const NO_INJECTOR: Injector = {
  inject: async () => ({ kind: 'undelivered', why: 'nothing can reach this agent' }),
};
