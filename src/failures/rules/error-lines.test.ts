import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classifyTranscript, exitFrom } from '../classify-transcript.ts';

function reasonOfText(
  cli: string,
  text: Partial<Record<'stdout' | 'stderr', string>>,
  code = 1,
): string {
  const found = classifyTranscript({
    cli,
    exit: exitFrom(code, null),
    stoppedBy: null,
    stdout: text.stdout ?? '',
    stderr: text.stderr ?? '',
    container: null,
    now: Date.parse('2026-11-15T12:00:00Z'),
    zone: 'UTC',
    rules: [],
  });
  return found?.kind === 'failed' ? found.reason : (found?.kind ?? 'unknown');
}

describe('last lines count if they have the shape of an error', () => {
  const CLIS = ['claude', 'codex', 'gemini', 'copilot', 'opencode', 'custom', 'scripted'];
  const innocent = [
    'wrote 429 lines',
    'disk quota check',
    'forbidden words',
    'Error: disk quota check failed',
    'write error: Disk quota exceeded',
    'Error: 429 tests failed',
    'error: wrote 429 of 503 lines',
    'AssertionError: expected 429 to equal 200',
    "AssertionError: expected 'rate_limit_error' to be undefined",
    'TypeError: rateLimit is not a function',
    'npm ERR! 429 Too Many Requests - GET https://example.test/left-pad',
    "fatal: unable to access 'https://example.test/': The requested URL returned error: 429",
    "+    throw new RateLimitError('429 Too Many Requests');",
    "-  if (code === 'insufficient_quota') return;",
    ' ✖ retries after a rate limit (429) (12 ms)',
    'I now handle insufficient_quota and rate_limit_error.',
    'The rate limit exceeded test is red.',
    'Rate limit exceeded errors are now retried',
    "You've hit your usage limit feature works",
    'Credit balance is too low is now shown in red',
    'tlslib: built',
    'AssertionError: ThrottlingException was not thrown (ThrottlingException)',
    'The retry for (ThrottlingException) is now tested',
    'You have no quota handling yet',
    'This organization has been disabled in the fixture',
    'Your account is locked out of the tests',
    'model: gpt-5 is the default now',
    'wrote content_filter to the list',
    'The prompt is empty in that test',
    'Error: the prompt must not be empty',
    'AssertionError: invalid prompt was not refused',
  ];
  for (const line of innocent)
    test(`no limit and no bad login: ${line}`, () => {
      for (const cli of CLIS)
        for (const stream of ['stdout', 'stderr'] as const) {
          const reason = reasonOfText(cli, { [stream]: `working\n${line}\n` });
          assert.ok(
            !['rate_limited', 'quota_exhausted', 'auth', 'bad_prompt'].includes(reason),
            `${cli} ${reason}`,
          );
          assert.equal(reasonOfText(cli, { stdout: `${line}\n` }, 0), 'completed');
        }
    });

  const guilty: [line: string, reason: string][] = [
    ['Error: No prompt provided. Either specify one as an argument', 'bad_prompt'],
    [
      'Error: Input must be provided either through stdin or as a prompt argument when using --print',
      'bad_prompt',
    ],
    ['No input provided via stdin. Input can be provided by piping data into gemini', 'bad_prompt'],
    [
      'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"x"}}',
      'rate_limited',
    ],
    ['Error: 429 Too Many Requests', 'rate_limited'],
    ['ERROR: exceeded retry limit, last status: 429 Too Many Requests', 'rate_limited'],
    ['exceeded retry limit, last status: 429 Too Many Requests', 'rate_limited'],
    ['openai.RateLimitError: Error code: 429 - {"error": {"message": "slow"}}', 'rate_limited'],
    ['Error: Rate limit reached for gpt-5 in organization x on tokens per min', 'rate_limited'],
    ['\u001B[31mError: HTTP 429\u001B[0m', 'rate_limited'],
    ['Claude AI usage limit reached|1794787200', 'quota_exhausted'],
    ['You’ve hit your usage limit. Upgrade to Pro or try again in 3 hours.', 'quota_exhausted'],
    ['5-hour limit reached ∙ resets 3pm', 'quota_exhausted'],
    [
      "openai.RateLimitError: Error code: 429 - {'error': {'code': 'insufficient_quota'}}",
      'quota_exhausted',
    ],
    ['Credit balance is too low', 'quota_exhausted'],
    [
      "anthropic.BadRequestError: Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error', 'message': 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.'}}",
      'quota_exhausted',
    ],
    ['402 You have no quota', 'quota_exhausted'],
    ['Error: 402 You have no quota', 'quota_exhausted'],
    ['Error: You have no remaining premium requests.', 'quota_exhausted'],
    [
      'botocore.errorfactory.ServiceQuotaExceededException: An error occurred (ServiceQuotaExceededException) when calling the InvokeModel operation: Too many tokens per day',
      'quota_exhausted',
    ],
    [
      'botocore.errorfactory.ThrottlingException: An error occurred (ThrottlingException) when calling the InvokeModel operation: Too many requests, please wait before trying again.',
      'rate_limited',
    ],
    [
      'botocore.exceptions.ClientError: An error occurred (ThrottlingException) when calling the Converse operation (reached max retries: 4): Too many tokens',
      'rate_limited',
    ],
    [
      'botocore.exceptions.ClientError: An error occurred (TooManyRequestsException) when calling the InvokeModel operation: slow down',
      'rate_limited',
    ],
    [
      'botocore.exceptions.ClientError: An error occurred (AccessDeniedException) when calling the InvokeModel operation: no',
      'auth',
    ],
    [
      'botocore.exceptions.ClientError: An error occurred (ServiceUnavailableException) when calling the InvokeModel operation: busy',
      'overloaded',
    ],
    ['This organization has been disabled.', 'auth'],
    ['API Error: This organization has been disabled.', 'auth'],
    ['Error: Your account has been suspended.', 'auth'],
    [
      "anthropic.BadRequestError: Error code: 400 - {'error': {'message': 'This organization has been disabled.'}}",
      'auth',
    ],
    ['API Error: 526 <html>', 'network'],
    ['Error: HTTP 530', 'network'],
    [
      'Error: stream disconnected before completion: Incomplete response returned, reason: content_filter',
      'content_filtered',
    ],
    [
      'API Error: 404 {"type":"error","error":{"type":"not_found_error","message":"model: claude-nope"}}',
      'model_not_found',
    ],
    ['Invalid API key · Please run /login', 'auth'],
    ['unexpected status 401 Unauthorized: Incorrect API key provided', 'auth'],
    ['Error: No authentication information found.', 'auth'],
    [
      'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
      'overloaded',
    ],
    ['Error: HTTP 503', 'overloaded'],
    ['API Error: 500 {"type":"error","error":{"type":"api_error"}}', 'network'],
    ['API Error: Unable to connect to API (ConnectionRefused)', 'network'],
    ['TypeError: fetch failed', 'network'],
    ['Error: getaddrinfo ENOTFOUND api.example.test', 'network'],
    ['Error: self-signed certificate in certificate chain', 'network'],
    ['Error: Temporary failure in name resolution', 'network'],
    ['curl: (6) Could not resolve host: Temporary failure in name resolution', 'network'],
    ['Error: EAGAIN: resource temporarily unavailable', 'overloaded'],
    ['Error: Something went wrong. Please try again later.', 'overloaded'],
    ['Error: ENOSPC: no space left on device, write', 'disk_full'],
    ['fatal: write error: No space left on device', 'disk_full'],
    ['Error: disk full', 'disk_full'],
    ['Error: out of memory', 'oom'],
    ['Error: permission denied', 'auth'],
    ['Error: Access denied.', 'auth'],
    ['API Error: Prompt is too long', 'context_overflow'],
    ["Error: This model's maximum context length is 128000 tokens.", 'context_overflow'],
    ['Error: The model `gpt-9` does not exist or you do not have access to it.', 'model_not_found'],
    ['bash: line 1: codex: command not found', 'agent_missing'],
    ["env: 'claude': No such file or directory", 'agent_missing'],
    ['Error: spawn gemini ENOENT', 'agent_missing'],
    ["error: unknown option '--nope'", 'bad_usage'],
    ["error: unexpected argument '--nope' found", 'bad_usage'],
  ];
  for (const [line, reason] of guilty)
    test(`${reason}: ${line}`, () => {
      for (const cli of CLIS)
        assert.equal(reasonOfText(cli, { stderr: `working\n${line}\n` }), reason, cli);
      assert.equal(
        reasonOfText('claude', { stderr: `${line}\n`, stdout: 'All done.\n' }, 0),
        'completed',
      );
    });
});

describe('R095, R097: a shortage in the words of other runtimes', () => {
  const rows: [line: string, reason: string][] = [
    ['curl: (6) Could not resolve host: api.example.test', 'network'],
    ['curl: (7) Failed to connect to api.example.test port 443', 'network'],
    ['requests.exceptions.ConnectionError: [Errno -2] Name or service not known', 'network'],
    ['connect ECONNRESET 10.0.0.7:443', 'network'],
    ['read: connection reset', 'network'],
    ['Connection closed by remote host', 'network'],
    ['ConnectionRefusedError: [Errno 111] Connection refused', 'network'],
    ['dial tcp 192.0.2.1:443: connect: connection refused', 'network'],
    ['Error: Connection timed out', 'network'],
    ['connect: Network is unreachable', 'network'],
    ['bash: fork: retry: Resource temporarily unavailable', 'overloaded'],
    ['BlockingIOError: [Errno 11] Resource temporarily unavailable', 'overloaded'],
    ['Error: EMFILE: too many open files, open "x"', 'overloaded'],
    ['OSError: [Errno 24] Too many open files', 'overloaded'],
    ['OSError: [Errno 28] No space left on device', 'disk_full'],
    ["OSError: [Errno 28] No space left on device: '/data/x'", 'disk_full'],
    ['Error: EDQUOT: disk quota exceeded, write', 'disk_full'],
    ["cp: error writing 'x': Disk quota exceeded", 'disk_full'],
    ['MemoryError', 'oom'],
    ['OSError: [Errno 12] Cannot allocate memory', 'oom'],
    ['fatal error: runtime: out of memory', 'oom'],
    ['java.lang.OutOfMemoryError: Java heap space', 'oom'],
    ['Exception in thread "main" java.lang.OutOfMemoryError: Java heap space', 'oom'],
    ['FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory', 'oom'],
  ];
  for (const [line, reason] of rows)
    test(`${line} → ${reason}`, () => {
      for (const cli of ['claude', 'codex', 'gemini', 'copilot', 'opencode', 'custom'])
        assert.equal(reasonOfText(cli, { stderr: `working\n${line}\n` }), reason, cli);
    });
});

describe('D: ends that were confused with others', () => {
  const frames = (frame: string): string => Array.from({ length: 120 }, () => frame).join('\n');
  const stacks = [
    '    at Socket.emit (node:events:518:28)',
    '\tat java.base/java.lang.Thread.run(Thread.java:829)',
    '        from /usr/lib/ruby/net/http.rb:987:in `start',
    '\t/usr/lib/go/src/net/http/server.go:2136 +0x29',
    '  12: core::ops::function::FnOnce::call_once',
  ];
  for (const frame of stacks)
    test(`an error above 120 lines of its stack: ${frame.trim()}`, () =>
      assert.equal(
        reasonOfText('custom', { stderr: `Error: 429 Too Many Requests\n${frames(frame)}\n` }),
        'rate_limited',
      ));

  const rows: [why: string, cli: string, stdout: string, code: number, reason: string][] = [
    [
      'opencode that names an error and exits with 0',
      'opencode',
      '{"type":"error","error":{"name":"APIError","data":{"message":"no","statusCode":401}}}',
      0,
      'auth',
    ],
    [
      'opencode that got over an error',
      'opencode',
      [
        '{"type":"error","error":{"name":"APIError","data":{"message":"no","statusCode":529}}}',
        '{"type":"text","part":{"text":"fine"}}',
        '{"type":"step_finish","part":{"reason":"stop"}}',
      ].join('\n'),
      0,
      'completed',
    ],
    [
      'codex that fails after its turn was completed',
      'codex',
      '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.completed","usage":{}}',
      1,
      'crashed',
    ],
    [
      'codex whose answer was withheld',
      'codex',
      '{"type":"turn.failed","error":{"message":"stream disconnected before completion: Incomplete response returned, reason: content_filter"}}',
      1,
      'content_filtered',
    ],
    [
      'codex whose answer was too long',
      'codex',
      '{"type":"turn.failed","error":{"message":"Incomplete response returned, reason: max_output_tokens"}}',
      1,
      'output_limit',
    ],
    [
      'claude with a model that is not there',
      'claude',
      '{"type":"result","subtype":"success","is_error":true,"api_error_status":404,"result":"API Error: 404 {\\"type\\":\\"error\\",\\"error\\":{\\"type\\":\\"not_found_error\\",\\"message\\":\\"model: claude-nope\\"}}"}',
      1,
      'model_not_found',
    ],
    [
      'claude of an organization that is disabled',
      'claude',
      '{"type":"result","subtype":"success","is_error":true,"api_error_status":400,"result":"API Error: 400 This organization has been disabled."}',
      1,
      'auth',
    ],
    [
      'copilot without quota',
      'copilot',
      '{"type":"session.error","data":{"errorType":"query","message":"402 You have no quota"}}',
      1,
      'quota_exhausted',
    ],
    [
      'copilot whose conversation is too long',
      'copilot',
      '{"type":"session.error","data":{"errorType":"query","message":"Your conversation is using ~70,000 tokens, which exceeds gpt-4.1\'s prompt limit of 64,000 tokens."}}',
      1,
      'context_overflow',
    ],
    [
      'copilot whose prompt is too long',
      'copilot',
      '{"type":"session.error","data":{"errorType":"query","message":"CAPIError: 400 prompt token count of 70000 exceeds the limit of 64000"}}',
      1,
      'context_overflow',
    ],
  ];
  for (const [why, cli, stdout, code, reason] of rows)
    test(`${why}: ${reason}`, () => assert.equal(reasonOfText(cli, { stdout }, code), reason));
});
