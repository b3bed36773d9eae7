import { isoTime, at } from '../../../base/clock.ts';
import type { HttpReply, ModelProblem } from '../model-wire.ts';

type Words = { readonly status: number; readonly type: string; readonly message: string };

function invalid(message: string): Words {
  return { status: 400, type: 'invalid_request_error', message };
}

function wordsFor(problem: ModelProblem): Words {
  switch (problem.kind) {
    case 'bad-request':
      return invalid(problem.message ?? 'Invalid request');
    case 'context-overflow':
      return invalid('prompt is too long: 208310 tokens > 200000 maximum');
    case 'credit':
      return invalid(
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      );
    case 'no-key':
      return { status: 401, type: 'authentication_error', message: 'x-api-key header is required' };
    case 'bad-key':
      return { status: 401, type: 'authentication_error', message: 'invalid x-api-key' };
    case 'unauthorized':
      return {
        status: 401,
        type: 'authentication_error',
        message:
          'OAuth token has expired. Please obtain a new token or refresh your existing token.',
      };
    case 'forbidden':
      return {
        status: 403,
        type: 'permission_error',
        message: 'Your API key does not have permission to use the specified resource.',
      };
    case 'model-not-found':
      return { status: 404, type: 'not_found_error', message: `model: ${problem.model ?? ''}` };
    case 'path-not-found':
      return { status: 404, type: 'not_found_error', message: 'Not Found' };
    case 'too-large':
      return {
        status: 413,
        type: 'request_too_large',
        message: 'Request exceeds the maximum size',
      };
    case 'rate-limit':
      return {
        status: 429,
        type: 'rate_limit_error',
        message:
          "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
      };
    case 'quota':
    case 'usage-limit':
      return {
        status: 429,
        type: 'rate_limit_error',
        message: "This request would exceed your account's rate limit. Please try again later.",
      };
    case 'server-error':
      return { status: 500, type: 'api_error', message: 'Internal server error' };
    case 'unavailable':
      return { status: 503, type: 'api_error', message: 'Service temporarily unavailable' };
    case 'overloaded':
      return { status: 529, type: 'overloaded_error', message: 'Overloaded' };
  }
}

/**
 * The minute limits of a key, or the five hours of a subscription: the two never occur together.
 */
function limitHeaders({ kind, nowMs, retryAfterS = 30 }: ModelProblem): Record<string, string> {
  const resetMs = nowMs + retryAfterS * 1000;
  if (kind === 'rate-limit')
    return {
      'retry-after': String(retryAfterS),
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '49',
      'anthropic-ratelimit-requests-reset': isoTime(at(nowMs)),
      'anthropic-ratelimit-input-tokens-limit': '40000',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': isoTime(at(resetMs)),
    };
  if (kind === 'quota' || kind === 'usage-limit')
    return {
      'retry-after': String(retryAfterS),
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(Math.ceil(resetMs / 1000)),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'anthropic-ratelimit-unified-5h-status': 'rejected',
      'anthropic-ratelimit-unified-5h-reset': String(Math.ceil(resetMs / 1000)),
      'anthropic-ratelimit-unified-5h-utilization': '1.0',
    };
  return {};
}

export function anthropicProblem(problem: ModelProblem): HttpReply {
  const { status, type, message } = wordsFor(problem);
  return {
    status,
    headers: limitHeaders(problem),
    body: { type: 'error', error: { type, message: problem.message ?? message } },
  };
}
