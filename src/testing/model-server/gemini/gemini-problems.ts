import type { Json } from '../../../base/json.ts';
import type { HttpReply, ModelProblem } from '../model-wire.ts';

type Words = {
  readonly code: number;
  readonly status: string;
  readonly message: string;
  readonly details?: readonly Json[];
};

const TYPE = 'type.googleapis.com/google.rpc.';

function quotaDetails(quotaId: string, problem: ModelProblem): readonly Json[] {
  const { model = '', retryAfterS = 30 } = problem;
  return [
    {
      '@type': `${TYPE}QuotaFailure`,
      violations: [
        {
          quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
          quotaId,
          quotaDimensions: { location: 'global', model },
          quotaValue: '10',
        },
      ],
    },
    { '@type': `${TYPE}RetryInfo`, retryDelay: `${retryAfterS}s` },
  ];
}

function wordsFor(problem: ModelProblem): Words {
  const { model = '' } = problem;
  switch (problem.kind) {
    case 'bad-request':
      return {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: problem.message ?? 'Request contains an invalid argument.',
        ...(problem.param !== undefined && {
          details: [
            {
              '@type': `${TYPE}BadRequest`,
              fieldViolations: [{ field: problem.param, description: problem.message ?? '' }],
            },
          ],
        }),
      };
    case 'context-overflow':
      return {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message:
          'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      };
    case 'credit':
      return {
        code: 400,
        status: 'FAILED_PRECONDITION',
        message:
          'Gemini API free tier is not available in your country. Please enable billing on your project in Google AI Studio.',
      };
    case 'no-key':
      return {
        code: 403,
        status: 'PERMISSION_DENIED',
        message:
          "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
      };
    // Google's answer to a wrong key is a 400, not a 401.
    case 'bad-key':
      return {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'API key not valid. Please pass a valid API key.',
        details: [
          { '@type': `${TYPE}ErrorInfo`, reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
        ],
      };
    case 'unauthorized':
      return {
        code: 401,
        status: 'UNAUTHENTICATED',
        message:
          'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
      };
    case 'forbidden':
      return {
        code: 403,
        status: 'PERMISSION_DENIED',
        message: 'The caller does not have permission',
      };
    case 'model-not-found':
      return {
        code: 404,
        status: 'NOT_FOUND',
        message: `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
      };
    case 'path-not-found':
      return {
        code: 404,
        status: 'NOT_FOUND',
        message: `The requested URL was not found: ${problem.path ?? ''}`,
      };
    case 'too-large':
      return {
        code: 413,
        status: 'INVALID_ARGUMENT',
        message: 'Request payload size exceeds the limit.',
      };
    case 'rate-limit':
      return {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: `You exceeded your current quota, please check your plan and billing details. Please retry in ${problem.retryAfterS ?? 30}s.`,
        details: quotaDetails('GenerateRequestsPerMinutePerProjectPerModel-FreeTier', problem),
      };
    case 'quota':
    case 'usage-limit':
      return {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'You exceeded your current quota, please check your plan and billing details.',
        details: quotaDetails('GenerateRequestsPerDayPerProjectPerModel-FreeTier', problem),
      };
    case 'server-error':
      return {
        code: 500,
        status: 'INTERNAL',
        message: 'An internal error has occurred. Please retry.',
      };
    case 'unavailable':
      return {
        code: 503,
        status: 'UNAVAILABLE',
        message: 'The model is overloaded. Please try again later.',
      };
    // Not Google's own status, but that of gateways in front of it.
    case 'overloaded':
      return {
        code: 529,
        status: 'UNAVAILABLE',
        message: 'The model is overloaded. Please try again later.',
      };
  }
}

export function geminiProblem(problem: ModelProblem): HttpReply {
  const { code, status, message, details } = wordsFor(problem);
  return {
    status: code,
    headers: {},
    body: {
      error: {
        code,
        message: problem.message ?? message,
        status,
        ...(details !== undefined && { details }),
      },
    },
  };
}
