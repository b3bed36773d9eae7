/** What an agent tells us while it works, in one form for every CLI. */

/** A failing call in the CLI's or the provider's own structured words. */
export type AgentError = {
  readonly message: string;
  /** The HTTP status of the provider's answer. */
  readonly status: number | null;
  /** The word for it: `insufficient_quota`, `authentication_failed`, `RESOURCE_EXHAUSTED`. */
  readonly code: string | null;
  /** When it happened, as far as the CLI says so. */
  readonly at: number | null;
  readonly retryAfterMs: number | null;
  readonly resetAt: number | null;
};

export type AgentUsage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly costUsd: number | null;
};

export type AgentEvent =
  | { readonly kind: 'session'; readonly id: string }
  /** `whole`: a message of its own, and no more of the one before. */
  | { readonly kind: 'said'; readonly text: string; readonly whole?: boolean }
  | {
      readonly kind: 'used-tool';
      readonly tool: string;
      readonly id: string | null;
      /** Its arguments, shortened. */
      readonly args: string;
      /** Its arguments as they came, for whoever looks at them in passing. */
      readonly input: unknown;
    }
  | { readonly kind: 'tool-result'; readonly id: string | null; readonly isError: boolean }
  /** `whole`: the sum so far. Otherwise one more part of it. */
  | { readonly kind: 'usage'; readonly usage: AgentUsage; readonly whole: boolean }
  | { readonly kind: 'retrying'; readonly error: AgentError }
  | { readonly kind: 'concluded'; readonly summary: string }
  /** It says what went wrong. `final`: and that this is its end. */
  | { readonly kind: 'failed'; readonly error: AgentError; readonly final: boolean }
  | { readonly kind: 'asked'; readonly question: string }
  /** The provider says when a limit ends, whether or not it has struck. */
  | { readonly kind: 'limit'; readonly resetAt: number }
  | { readonly kind: 'noise' };

export const NOISE: readonly AgentEvent[] = [{ kind: 'noise' }];

export const ERROR_CHARS_MAX = 4000;

export function agentError(
  message: string,
  rest: Partial<Omit<AgentError, 'message'>> = {},
): AgentError {
  return {
    message: message.slice(0, ERROR_CHARS_MAX),
    status: null,
    code: null,
    at: null,
    retryAfterMs: null,
    resetAt: null,
    ...rest,
  };
}
