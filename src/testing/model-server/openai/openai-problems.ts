import type { Json } from '../../../base/json.ts';
import type { HttpReply, ModelProblem } from '../model-wire.ts';

type Words = {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly param?: string | null;
  readonly code?: string | null;
  readonly more?: { readonly [key: string]: Json };
};

const INVALID = 'invalid_request_error';

function wordsFor(problem: ModelProblem): Words {
  const { model = '', retryAfterS = 30, nowMs } = problem;
  switch (problem.kind) {
    case 'bad-request':
      return {
        status: 400,
        message: problem.message ?? 'Invalid request.',
        type: INVALID,
        param: problem.param ?? null,
        code: problem.code ?? null,
      };
    case 'context-overflow':
      return {
        status: 400,
        message:
          'Your input exceeds the context window of this model. Please adjust your input and try again.',
        type: INVALID,
        param: 'input',
        code: 'context_length_exceeded',
      };
    case 'credit':
      return {
        status: 400,
        message: 'Billing hard limit has been reached',
        type: INVALID,
        code: 'billing_hard_limit_reached',
      };
    case 'no-key':
      return {
        status: 401,
        message:
          "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
        type: INVALID,
      };
    case 'bad-key':
      return {
        status: 401,
        message: 'Incorrect API key provided.',
        type: INVALID,
        code: 'invalid_api_key',
      };
    case 'unauthorized':
      return {
        status: 401,
        message: 'Your authentication token has been invalidated. Please try signing in again.',
        type: INVALID,
        code: 'token_invalidated',
      };
    case 'forbidden':
      return {
        status: 403,
        message: 'You have insufficient permissions for this operation.',
        type: INVALID,
        code: 'insufficient_permissions',
      };
    case 'model-not-found':
      return {
        status: 404,
        message: `The model \`${model}\` does not exist or you do not have access to it.`,
        type: INVALID,
        code: 'model_not_found',
      };
    case 'path-not-found':
      return { status: 404, message: `Invalid URL (${problem.path ?? ''})`, type: INVALID };
    case 'too-large':
      return { status: 413, message: 'Request body is too large.', type: INVALID };
    case 'rate-limit':
      return {
        status: 429,
        message: `Rate limit reached for ${model} in organization org-test on tokens per min (TPM): Limit 30000, Used 29000, Requested 9000. Please try again in ${retryAfterS}s.`,
        type: 'tokens',
        code: 'rate_limit_exceeded',
      };
    case 'quota':
      return {
        status: 429,
        message:
          'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      };
    case 'usage-limit':
      return {
        status: 429,
        message: 'The usage limit has been reached',
        type: 'usage_limit_reached',
        more: {
          plan_type: 'plus',
          resets_at: Math.ceil(nowMs / 1000) + retryAfterS,
          resets_in_seconds: retryAfterS,
        },
      };
    case 'server-error':
      return {
        status: 500,
        message:
          'The server had an error while processing your request. Sorry about that! You can retry your request.',
        type: 'server_error',
      };
    case 'unavailable':
      return {
        status: 503,
        message: 'The engine is currently overloaded, please try again later.',
        type: 'server_error',
        code: 'server_is_overloaded',
      };
    // Not OpenAI's own status, but that of gateways in front of it.
    case 'overloaded':
      return { status: 529, message: 'Overloaded', type: 'server_error', code: 'overloaded' };
  }
}

function limitHeaders({ kind, retryAfterS = 30 }: ModelProblem): Record<string, string> {
  if (kind !== 'rate-limit') return {};
  return {
    'retry-after': String(retryAfterS),
    'retry-after-ms': String(retryAfterS * 1000),
    'x-ratelimit-limit-requests': '500',
    'x-ratelimit-remaining-requests': '499',
    'x-ratelimit-reset-requests': '120ms',
    'x-ratelimit-limit-tokens': '30000',
    'x-ratelimit-remaining-tokens': '1000',
    'x-ratelimit-reset-tokens': `${retryAfterS}s`,
  };
}

/** Both OpenAI wires report errors alike. */
export function openaiProblem(problem: ModelProblem): HttpReply {
  const { status, message, type, param = null, code = null, more } = wordsFor(problem);
  return {
    status,
    headers: limitHeaders(problem),
    body: { error: { message: problem.message ?? message, type, param, code, ...more } },
  };
}
