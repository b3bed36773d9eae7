/** The events of an agent while it works, in one form for every CLI. */

/** A failed call, as the CLI or the provider reports it in structured form. */
export type AgentError = {
  readonly message: string;
  /** The HTTP status of the provider's answer. */
  readonly status: number | null;
  /**
   * The error code, such as `insufficient_quota`, `authentication_failed` or `RESOURCE_EXHAUSTED`.
   */
  readonly code: string | null;
  /** When it happened, if the CLI reports it. */
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
  /** `whole`: a separate message, not a continuation of the one before. */
  | { readonly kind: 'said'; readonly text: string; readonly whole?: boolean }
  | {
      readonly kind: 'used-tool';
      readonly tool: string;
      readonly id: string | null;
      /** Its arguments, truncated. */
      readonly args: string;
      /** Its arguments as they came, for monitors. */
      readonly input: unknown;
    }
  | {
      readonly kind: 'tool-result';
      readonly id: string | null;
      readonly isError: boolean;
      /** Its whole text. Absent: the CLI does not report it. */
      readonly output?: string;
    }
  /** `whole`: the total so far. Otherwise an increment. */
  | { readonly kind: 'usage'; readonly usage: AgentUsage; readonly whole: boolean }
  | { readonly kind: 'retrying'; readonly error: AgentError }
  | { readonly kind: 'concluded'; readonly summary: string }
  /** It reports an error. `final`: the error ends it. */
  | { readonly kind: 'failed'; readonly error: AgentError; readonly final: boolean }
  | { readonly kind: 'asked'; readonly question: string }
  /** The provider reports when a limit ends, whether or not the limit applies already. */
  | { readonly kind: 'limit'; readonly resetAt: number }
  | { readonly kind: 'noise' };

export const NOISE: readonly AgentEvent[] = [{ kind: 'noise' }];

const ERROR_CHARS_MAX = 4000;

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
