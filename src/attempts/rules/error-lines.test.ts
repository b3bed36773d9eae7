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
  return found?.outcome === 'failed' ? found.failure.reason : (found?.outcome ?? 'unknown');
}

describe('last lines count where they have the shape of an error', () => {
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
  ];
  for (const line of innocent)
    test(`no limit and no bad login: ${line}`, () => {
      for (const cli of CLIS)
        for (const stream of ['stdout', 'stderr'] as const) {
          const reason = reasonOfText(cli, { [stream]: `working\n${line}\n` });
          assert.ok(
            !['rate_limited', 'quota_exhausted', 'auth'].includes(reason),
            `${cli} ${reason}`,
          );
          assert.equal(reasonOfText(cli, { stdout: `${line}\n` }, 0), 'completed');
        }
    });

  const guilty: [line: string, reason: string][] = [
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
