/** The error messages of the providers, whichever CLI passes them on. Most specific first. */
import type { RuleData } from './rule.ts';

export const PROVIDER_RULES: readonly RuleData[] = [
  { id: 'cut-answer', reason: 'network', code: 'cut-answer' },
  { id: 'stop-length', reason: 'output_limit', code: 'stop-length' },
  { id: 'stop-filter', reason: 'content_filtered', code: 'stop-filter' },
  { id: 'stop-unfinished', reason: 'invalid_output', code: 'stop-unfinished' },
  {
    id: 'filter-code',
    reason: 'content_filtered',
    code: 'content_filter|content_policy_violation|PROHIBITED_CONTENT|responsible_ai_policy',
  },
  {
    id: 'filter-words',
    reason: 'content_filtered',
    message:
      "reason: content_filter|content management policy|(violat|against)[a-z]* (of )?(our|the|[a-z]+'s) (usage|content|acceptable use) polic|flagged as potentially violating|blocked by (our |the )?(safety|content) (system|filter)",
  },
  {
    id: 'filter-line',
    reason: 'content_filtered',
    line: '^(stream disconnected before completion: )?incomplete response returned, reason: content_filter',
    quoted: `["'](content_filter|content_policy_violation)["']`,
  },
  {
    // Only messages about the prompt itself: the CLI words other refused requests.
    id: 'prompt-code',
    reason: 'bad_prompt',
    status: [400, 422],
    code: '^(invalid_prompt|empty_prompt|prompt_required)$',
  },
  {
    id: 'prompt-words',
    reason: 'bad_prompt',
    status: [400, 422],
    message:
      "^(the |your )?prompt (is|was|must not be|can ?not be|can't be) (empty|blank|missing|invalid)\\b|^(the )?prompt is required\\b|^invalid prompt\\b",
  },
  {
    id: 'prompt-line',
    reason: 'bad_prompt',
    line: '^(no prompt provided\\.|input must be provided either through stdin or as a prompt argument|no input provided via stdin\\.)',
  },
  {
    id: 'length-words',
    reason: 'output_limit',
    message: 'reason: max_output_tokens|exceeded the [0-9,]+ output token maximum',
  },
  {
    id: 'context-code',
    reason: 'context_overflow',
    code: 'context_length_exceeded|ContextOverflow|prompt_too_long|context_window_exceeded|request_too_large',
  },
  {
    id: 'context-words',
    reason: 'context_overflow',
    message:
      "(prompt|input|request|conversation|context|messages)( [a-z]{1,12}){0,3} too (long|large|big)|maximum context length|context (window|length|limit)( has been| is| was)? exceeded|exceed(s|ed|ing)? (the |your |this )?(model'?s? )?(maximum |max )?(allowed )?context|out of room in the model|input token count.{0,80}exceeds|prompt token count.{0,80}exceeds|too many input tokens|reduce the length of|exceed(s|ed|ing)? .{0,60}(prompt|token) limit|(prompt|token) limit (of .{1,20} )?(was |is |has been )?exceeded",
  },
  {
    id: 'context-line',
    reason: 'context_overflow',
    line: "^(prompt is too long|this model's maximum context length is|your input exceeds the context window|codex ran out of room in the model|the input token count .{1,40}exceeds)",
    quoted: `["'](context_length_exceeded)["']`,
  },
  { id: 'context-status', reason: 'context_overflow', status: [413] },

  {
    // Python's clients quote the body of a 400, and only its text says that no credit is left.
    id: 'quota-body',
    reason: 'quota_exhausted',
    quoted: `["']message["']: ["'](your credit balance is too low|you exceeded your current quota|you have no (remaining )?quota)|ServiceQuotaExceededException\\b`,
  },
  {
    id: 'quota-code',
    reason: 'quota_exhausted',
    code: 'insufficient_quota|billing|usage_limit|quota_exceeded|no_quota|credits?_(exhausted|required)|insufficient_(credit|balance|funds)|spend_limit|PerDay',
  },
  {
    id: 'quota-words',
    reason: 'quota_exhausted',
    message:
      'credit balance|(have|has) no (remaining |more )?(quota|credits|premium requests)|insufficient (quota|credit|balance|funds)|out of (extra usage|credits)|(hit|reached|exceeded) your ([a-z0-9 -]{0,20} )?(usage |weekly |session |monthly |daily |spend(ing)? )limit|usage limit|(5-hour|five-hour|hourly|weekly|daily|monthly|opus|sonnet) limit reached|(hit|reached) your limit|daily (quota|limit)|exhausted your (daily |monthly |capacity|quota)|PerDay|enable billing|billing hard limit|quota exceeded\\. check your plan|premium requests?.{0,60}(exceed|exhaust|limit|allowance)|(exceeded|no remaining) .{0,20}copilot|(purchase|buy|add) (more )?credits|spend(ing)? limit',
  },
  {
    id: 'quota-line',
    reason: 'quota_exhausted',
    line: "^((402:? )?you have no (remaining |more )?(quota|credits|premium requests)(\\.|,|$)|credit balance is too low\\.?$|claude( ai)? usage limit reached|you've (hit|reached) your ([a-z0-9-]{1,12} ){0,2}limit( ·| ∙|\\.|,|$)|(5-hour|weekly|daily|opus|sonnet) limit reached( ·| ∙|\\.|$)|quota exceeded\\. check your plan|you have exhausted your (daily |monthly )?(quota|capacity) on|you exceeded your current quota, please check your plan and billing details\\. for more information on this error, read|billing hard limit has been reached)",
    quoted: `["'](insufficient_quota|usage_limit_reached|billing_hard_limit_reached|billing_error)["']`,
  },
  { id: 'quota-class', reason: 'quota_exhausted', quoted: '\\bTerminalQuotaError: ' },
  { id: 'quota-status', reason: 'quota_exhausted', status: [402] },
  {
    // Google words a limit of a minute and a limit of a day alike; only the first can be waited
    // for.
    id: 'minute-limit',
    reason: 'rate_limited',
    message: 'PerMinute|per[ -]min(ute)?\\b|(retry|try again) (in|after) [0-9.]+ ?m?s',
    status: [429],
  },
  {
    id: 'quota-plan',
    reason: 'quota_exhausted',
    message: 'exceeded your current quota',
    status: [429],
  },

  {
    id: 'auth-code',
    reason: 'auth',
    code: 'authentication|invalid_api_key|API_KEY_INVALID|UNAUTHENTICATED|unauthorized|invalid_grant|token_(expired|revoked|invalidated)|permission_error|PERMISSION_DENIED|CONSUMER_INVALID|account_(disabled|suspended)|organization_(disabled|suspended)|AccessDenied|UnrecognizedClient|ExpiredToken|InvalidSignature',
  },
  {
    id: 'auth-words',
    reason: 'auth',
    message:
      '(invalid|incorrect|missing|expired|no) (x-)?api[ -]key|api key (not valid|not found|is invalid|expired|must be|required)|not logged in|log ?in (again|required)|/login\\b|missing environment variable|no authentication information|must specify the [a-z_]+ environment variable|(oauth|access|refresh|auth|session)[a-z ]{0,20}token.{0,40}(expired|revoked|invalid)|failed to authenticate|authentication (failed|required|error)|unauthorized|invalid (auth|bearer|credential)|permission denied on resource|does not have permission|set an auth method|invalid auth method|(organization|account|workspace|project|user|key) (has been|is|was) (disabled|suspended|deactivated|terminated|banned|blocked|locked)',
  },
  {
    id: 'auth-line',
    reason: 'auth',
    line: '^(invalid api key( ·|\\.|$)|incorrect api key provided|api key not valid\\. |not logged in( ·|\\.|$)|missing environment variable: |no authentication information found|when using gemini api, you must specify|please set an auth method|invalid auth method selected|oauth token (has expired|revoked)|failed to authenticate\\. |authentication (failed|required)\\.?$|unauthorized$|missing api key|your api key does not have permission|(this|your|the) (organization|account|workspace|project|api key) (has been|is|was) (disabled|suspended|deactivated|terminated|banned|locked)(\\.| ·|,|$))',
    quoted: `["'](invalid_api_key|authentication_error|API_KEY_INVALID|UNAUTHENTICATED|PERMISSION_DENIED)["']|["']message["']: ["'](this|your) (organization|account|workspace|project) (has been|is) (disabled|suspended|deactivated)|\\((AccessDenied|UnrecognizedClient|ExpiredToken|InvalidSignature)(Exception)?\\)`,
  },
  {
    id: 'model-code',
    reason: 'model_not_found',
    code: 'model_not_found|ModelNotFound|model_not_supported|unsupported_model',
  },
  {
    // Anthropic's message for a missing model is only its name.
    id: 'model-404',
    reason: 'model_not_found',
    status: [404],
    message: `(^|["'])model: ?["']?[a-z0-9]`,
  },
  {
    id: 'model-words',
    reason: 'model_not_found',
    message:
      'model\\b.{0,120}(does not exist|not found|not available|not supported|no longer available|is deprecated)|is not found for API version|issue with the selected model|(unknown|invalid|unsupported) model',
  },
  {
    id: 'model-line',
    reason: 'model_not_found',
    line: "^(the model .{1,100} does not exist or you do not have access|there's an issue with the selected model|models?[/ ].{1,100} (is )?not found( for|:|$)|unknown model|providermodelnotfounderror)",
    quoted: `["'](model_not_found)["']|["']not_found_error["'].{0,40}["']model: |\\bModelNotFoundError:|\\bProviderModelNotFoundError`,
  },
  { id: 'auth-status', reason: 'auth', status: [401, 403] },
  {
    id: 'overloaded-code',
    reason: 'overloaded',
    code: 'overloaded|UNAVAILABLE|slow_down|capacity',
  },
  {
    id: 'overloaded-words',
    reason: 'overloaded',
    message:
      'overloaded|at capacity|high demand|(temporarily|currently) unavailable|service unavailable|capacity (constraints|limits)',
  },
  {
    id: 'overloaded-line',
    reason: 'overloaded',
    line: '^(overloaded$|the (model|server|engine) is (currently )?overloaded|selected model is at capacity|we.{1,3}re currently experiencing high demand)',
    quoted: `["'](overloaded_error|server_is_overloaded|UNAVAILABLE)["']|\\((ServiceUnavailable|ModelNotReady)(Exception)?\\)`,
  },
  { id: 'overloaded-status', reason: 'overloaded', status: [503, 529] },

  {
    id: 'rate-class',
    reason: 'rate_limited',
    quoted:
      '\\b(RateLimitError|RetryableQuotaError): .*(quota|429)|\\((Throttling|ThrottlingException|ThrottledException|TooManyRequestsException|RequestLimitExceeded|ProvisionedThroughputExceededException)\\)|^[\\w.]*(Throttling|TooManyRequests)Exception: ',
  },
  { id: 'rate-status', reason: 'rate_limited', status: [429] },
  {
    id: 'rate-code',
    reason: 'rate_limited',
    code: 'rate_?limit|RESOURCE_EXHAUSTED|too_many_requests|Throttl|TooManyRequests',
  },
  {
    id: 'rate-words',
    reason: 'rate_limited',
    message:
      'rate.?limit|too many requests|(tokens|requests) per min|exceeded your current quota|quota exceeded for',
  },
  {
    id: 'rate-line',
    reason: 'rate_limited',
    line: '^(rate limit (reached|exceeded)( for |\\. |\\.?$)|this request would exceed your .{0,60}rate limit|number of .{0,20}tokens has exceeded your|you exceeded your current quota, please check your plan and billing details\\.|sorry, you have been rate.limited|you have exceeded your rate limit)',
    quoted: `["'](rate_limit_error|rate_limit_exceeded|RESOURCE_EXHAUSTED)["']`,
  },

  {
    id: 'malformed',
    reason: 'invalid_output',
    message:
      'empty or malformed|(failed|unable|could not) to (parse|decode) (json|the |chat|response|stream|model)|json pars|not valid json|invalid json|incomplete json|unexpected (end of json|token .{0,40}json)|in json at position|(expected|unterminated|bad) .{1,60} in json|EOF while parsing|without (a finish|sending any)|missing finish|before response\\.completed|empty (response|stream|answer)|no (content|response) (was |from )',
  },
  {
    id: 'malformed-code',
    reason: 'invalid_output',
    code: 'no-answer|invalid_response|parse_error',
  },
  {
    id: 'malformed-line',
    reason: 'invalid_output',
    line: '^(failed to parse json$|incomplete json segment at the end|json parsing failed: |api returned an empty or malformed response|model stream ended without)|stream closed before response\\.completed$',
  },
  {
    id: 'network-code',
    reason: 'network',
    code: 'server_error|api_error|internal|transport|timeout|\\bE(CONN[A-Z]+|TIMEDOUT|NOTFOUND|AI_AGAIN|PIPE|HOSTUNREACH|NETUNREACH)\\b|CERT|DEADLINE_EXCEEDED',
  },
  {
    id: 'network-words',
    reason: 'network',
    message:
      'no answer from the provider|ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|connection ?(was |to |has been |is )?(refused|reset|closed|lost|error|failed|aborted|terminated|timed out)|connection to the api|unable to connect|(could not|can ?not|failed to) connect|error sending request|fetch failed|socket|stream disconnected|stream error|network|disconnect|timed? ?out|timeout|getaddrinfo|resolve host|name resolution|dns|certificate|self.signed|\\b(tls|ssl)\\b|handshake|terminated|decoding response|internal (server )?error|bad gateway|gateway time|server had an error|interrupted due to a server error',
  },
  {
    id: 'network-line',
    reason: 'network',
    line: '^(fetch failed|typeerror: fetch failed|unable to connect to api|connection to the api was lost|connection error\\.?$|connection failed|could not connect to|cannot connect to api|getaddrinfo (ENOTFOUND|EAI_AGAIN)|connect E(CONNREFUSED|CONNRESET|TIMEDOUT|HOSTUNREACH|NETUNREACH)|read ECONNRESET|socket hang up|request timed out|the operation timed out|stream disconnected before completion|error sending request|self.signed certificate|unable to (verify the first|get local issuer) certificate|certificate has expired|internal server error|exception typeerror: fetch failed|failed native model http request)',
  },
  {
    // As the C library, curl and Python word them, whichever program printed them.
    id: 'unreachable-line',
    reason: 'network',
    line: '^(curl: \\([0-9]{1,2}\\) )?(could not resolve host|failed to connect to|couldn.t connect to server)\\b|(^|: |\\] )(temporary failure in name resolution|name or service not known|nodename nor servname provided, or not known|connection (refused|timed out|reset( by peer)?|closed( by (the )?(peer|server|remote host))?)|network is unreachable|no route to host)\\.?$',
  },
  {
    id: 'try-again-line',
    reason: 'overloaded',
    line: '^(EAGAIN|EMFILE|ENFILE)\\b|(^|: |\\] )(resource temporarily unavailable|too many open files( in system)?)\\.?$|^resource temporarily unavailable|(^|[.,:;!] )(please )?try again( later| in a (moment|few (seconds|minutes)))?\\.?$',
  },
  {
    id: 'disk-line',
    reason: 'disk_full',
    line: '^(ENOSPC\\b|EDQUOT\\b|(the )?disk (is )?full\\b|no space left on device|disk quota exceeded)|(: |\\] )(no space left on device|disk quota exceeded)(\\.?$|: )',
  },
  {
    id: 'memory-line',
    reason: 'oom',
    line: '^((fatal error: )?(runtime: )?out of memory\\.?$|cannot allocate memory|ENOMEM\\b|std::bad_alloc|memoryerror\\b|(exception in thread .{1,80} )?java\\.lang\\.outofmemoryerror\\b|memory allocation of [0-9]+ bytes failed)|(: |\\] )cannot allocate memory\\.?$|heap out of memory$',
  },
  {
    id: 'denied-line',
    reason: 'auth',
    line: '^(permission denied|access denied|forbidden|invalid credentials)\\.?$',
  },
  {
    id: 'network-status',
    reason: 'network',
    status: [408, 500, 502, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530, 598, 599],
  },

  {
    id: 'missing-line',
    reason: 'agent_missing',
    line: '^([a-z./]{0,20}sh: )?(line \\d{1,5}: )?(claude|codex|gemini|copilot|opencode): (command )?not found|^(env|exec): .{0,3}(claude|codex|gemini|copilot|opencode).{1,4}(no such file|executable file not found)|^spawn (claude|codex|gemini|copilot|opencode) ENOENT',
  },
  {
    id: 'usage-words',
    reason: 'bad_usage',
    message:
      '(unknown|unrecognized|invalid|unexpected) (option|argument|flag|command)|not inside a trusted directory|session not found|no (conversation|rollout|session) found|no session, task|unknown session',
  },
  {
    id: 'usage-line',
    reason: 'bad_usage',
    line: '^(unknown (option|argument|flag|command)|unexpected argument|unrecognized (option|argument)|invalid (value|argument|command format|option|choice)|missing required argument|the argument .{1,80} (cannot|requires)|option .{1,60} argument (missing|is invalid)|--?[a-z-]+ (cannot|can not|requires|must)|no such file or directory \\(os error 2\\)|session not found|no (conversation|rollout|session) found|no session, task, or name matched|(options|positionals):$|ENOENT: (no such file or directory, (uv_cwd|getcwd)|process\\.cwd failed|bun could not find a file)|the current (working )?directory (was|has been|does not|no longer)|failed to (get|read) (the )?current (working )?directory|process\\.cwd)',
  },
  { id: 'request-status', reason: 'bad_usage', status: [400, 404, 405, 422] },
];
