import type { Json } from '../../base/json.ts';
import type { ModelRequest, MessageUnit, WireName } from '../../gateway/wires/wire.ts';

export type { ModelRequest, MessageUnit, WireName };

export type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
};

export type Stop = 'end' | 'tools' | 'length' | 'refusal';

/**
 * Arguments given as a string are for tools that take free text (`custom` tools of the Responses
 * wire).
 */
export type ToolCall = {
  readonly name: string;
  readonly args: { readonly [key: string]: Json } | string;
};

/** An answer with everything decided: a wire only has to render it. */
export type Reply = {
  readonly id: string;
  readonly model: string;
  readonly createdS: number;
  /** The model's thoughts before its answer; empty for none. */
  readonly thought: string;
  readonly text: string;
  readonly calls: readonly (ToolCall & { readonly id: string })[];
  readonly usage: Usage;
  readonly stop: Stop;
};

export type ProblemKind =
  | 'bad-request'
  | 'context-overflow'
  | 'credit'
  | 'no-key'
  | 'bad-key'
  | 'unauthorized'
  | 'forbidden'
  | 'model-not-found'
  | 'path-not-found'
  | 'too-large'
  | 'rate-limit'
  | 'quota'
  | 'usage-limit'
  | 'server-error'
  | 'unavailable'
  | 'overloaded';

export type ModelProblem = {
  readonly kind: ProblemKind;
  readonly message?: string;
  readonly param?: string;
  readonly code?: string;
  readonly retryAfterS?: number;
  readonly model?: string;
  /** Method and path, for a path that does not exist. */
  readonly path?: string;
  readonly nowMs: number;
};

export type HttpReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
};

/** Why a request is refused, in the provider's words. */
export type Complaint = {
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
};

export type WireRequest = {
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
};

/** One rule of the real API. Total: a body of any shape gets an answer. */
export type WireRule = (wireRequest: WireRequest) => Complaint | undefined;

/**
 * One provider's format. Everything is a pure function: the server owns the sockets, the wire
 * produces the text.
 */
export interface Wire {
  readonly name: WireName;
  readonly requestIdHeader: string;
  /** The message for a body that is not JSON. */
  readonly notJson: string;
  /** In the order in which the provider checks: shapes first, then meaning. */
  readonly rules: Readonly<Record<string, WireRule>>;
  /** Lenient: reads what it can, since only `rules` refuse. */
  read(wireRequest: WireRequest, path: string): ModelRequest;
  /** The answer to a request that does not stream. */
  body(reply: Reply): Json;
  /** The same answer as server-sent events, to be written one by one. */
  frames(reply: Reply, wireRequest: WireRequest): readonly string[];
  count(tokens: number): Json;
  problem(problem: ModelProblem): HttpReply;
  /** A problem that arrives after a good status, inside the stream. */
  problemFrame(problem: ModelProblem): string;
}
