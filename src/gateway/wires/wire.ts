/** What every provider's language has in common, as far as a gateway needs to understand it. */
import type { Json } from '../../base/json.ts';

export type WireName = 'anthropic' | 'openai-responses' | 'openai-chat' | 'gemini';

/** One thing said in a conversation, in the order in which the model reads it. */
export type MessageUnit =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly args?: unknown }
  | {
      readonly kind: 'result';
      readonly id: string;
      readonly text: string;
      /** True where the wire, or the way in which agents report an exit code, says so. */
      readonly isError?: boolean;
    };

/** What a request asks for, the same for every wire. */
export type ModelRequest = {
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  readonly units: readonly MessageUnit[];
  readonly tools: readonly string[];
  /** The most that it lets the model say, where it says so. */
  readonly outputTokensMax?: number;
  /** The JSON schema that the answer must follow, where the request asks for one. */
  readonly schema?: unknown;
};

export type TokenUsage = {
  /** All that the model read, with what came from a cache and what went into one. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  /** Those of them that went into a cache which lives an hour. */
  readonly cacheWriteHourTokens?: number;
  /** Those of them that were sound. */
  readonly audioTokens?: number;
  /** How often the provider used a tool of its own, such as a search. */
  readonly serverToolUses?: number;
  /** The service tier that the answer names. */
  readonly tier?: string;
  /** All that the model wrote, with what it thought. */
  readonly outputTokens: number;
};

export type RequestedCall = { readonly name: string; readonly args: Json };

/** An error that came in place of an answer, or in the middle of one. */
export type WireError = {
  readonly type: string;
  readonly message: string;
  readonly body: Readonly<Record<string, unknown>>;
};

/** What the model answered. Total: what could not be read is empty. */
export type ModelAnswer = {
  readonly text: string;
  readonly calls: readonly RequestedCall[];
  readonly usage: TokenUsage | null;
  /** The provider's own word for why it ended; null when it never said so. */
  readonly stop: string | null;
  readonly error: WireError | null;
};

export type PartialAnswer = { readonly usage: TokenUsage | null; readonly writtenChars: number };

/** Takes an answer in, event by event or whole. Never throws, whatever comes. */
export interface AnswerReader {
  /** The parsed data of one server-sent event, or a whole body. */
  take(data: unknown): void;
  /** What is known while it comes: usage where it is told on the way, and how much of a stream was written. */
  soFar(): PartialAnswer;
  answer(): ModelAnswer;
}

/** How one provider's language is read. All of it is pure. */
export interface WireReader {
  readonly name: WireName;
  /** The key of the body that holds the conversation: `messages`, `input` or `contents`. */
  readonly conversationKey: string;
  /** Lenient: reads what it can. */
  readRequest(body: Readonly<Record<string, unknown>>, path: string): ModelRequest;
  answerReader(): AnswerReader;
  /** A refusal in the provider's own shape; 400 is what every CLI takes as final. */
  refusal(status: number, code: string, message: string): Json;
}
