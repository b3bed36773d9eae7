/** The common form of every provider's API, as far as a gateway needs to read it. */
import type { Json } from '../../base/json.ts';

export type WireName = 'anthropic' | 'openai-responses' | 'openai-chat' | 'gemini';

/** One unit of a conversation, in the order in which the model reads it. */
export type MessageUnit =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly args?: unknown }
  | {
      readonly kind: 'result';
      readonly id: string;
      readonly text: string;
      /** True if the wire, or the usual form in which agents report an exit code, says so. */
      readonly isError?: boolean;
    };

/** The content of a request, the same for every wire. */
export type ModelRequest = {
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  readonly units: readonly MessageUnit[];
  readonly tools: readonly string[];
  /** The output limit that the request names, if any. */
  readonly outputTokensMax?: number;
  /** The JSON schema that the answer must follow, if the request names one. */
  readonly schema?: unknown;
};

export type TokenUsage = {
  /** All tokens that the model read, including those read from or written to a cache. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of `cacheWriteTokens` that went into a one-hour cache. */
  readonly cacheWriteHourTokens?: number;
  /** The part of `inputTokens` that was sound. */
  readonly audioTokens?: number;
  /** How often the provider used one of its own tools, such as a search. */
  readonly serverToolUses?: number;
  /** The service tier that the answer names. */
  readonly tier?: string;
  /** All tokens that the model wrote, including thinking. */
  readonly outputTokens: number;
};

export type RequestedCall = { readonly name: string; readonly args: Json };

/** An error in place of an answer, or in the middle of one. */
export type WireError = {
  readonly type: string;
  readonly message: string;
  readonly body: Readonly<Record<string, unknown>>;
};

/** The answer of the model. Parts that could not be read are empty. */
export type ModelAnswer = {
  readonly text: string;
  readonly calls: readonly RequestedCall[];
  readonly usage: TokenUsage | null;
  /** The provider's own word for the stop reason. Null if it gave none. */
  readonly stop: string | null;
  readonly error: WireError | null;
};

export type PartialAnswer = { readonly usage: TokenUsage | null; readonly writtenChars: number };

/** Reads an answer, event by event or whole. Never throws. */
export interface AnswerReader {
  /** The parsed data of one server-sent event, or a whole body. */
  take(data: unknown): void;
  /**
   * What is known while the answer arrives: the usage, if it is reported on the way, and the length of the text so
   * far.
   */
  soFar(): PartialAnswer;
  answer(): ModelAnswer;
}

/** Reads the API of one provider. All functions are pure. */
export interface WireReader {
  readonly name: WireName;
  /** The key of the body that holds the conversation: `messages`, `input` or `contents`. */
  readonly conversationKey: string;
  /** Lenient: reads what it can. */
  readRequest(body: Readonly<Record<string, unknown>>, path: string): ModelRequest;
  answerReader(): AnswerReader;
  /** A refusal in the provider's own error format. Every CLI treats status 400 as final. */
  refusal(status: number, code: string, message: string): Json;
}
