import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentError } from '../adapters/agent-event.ts';
import type { AgentError } from '../adapters/agent-event.ts';
import { EMPTY_TRANSCRIPT } from '../adapters/transcript.ts';
import { classifyAttempt } from './classify-attempt.ts';
import { exitFrom, readContainerState } from './classify-transcript.ts';
import type { AttemptEvidence, ModelCall } from './evidence.ts';
import { failureOf } from './failure.ts';
import { userRules } from './rules/user-rules.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');

const died: AttemptEvidence = {
  cli: 'claude',
  exit: { kind: 'code', code: 1 },
  stoppedBy: null,
  container: null,
  gatewayFailure: null,
  calls: [],
  seesEveryCall: false,
  structured: true,
  transcript: EMPTY_TRANSCRIPT,
  verdict: { kind: 'died', message: 'exited with code 1' },
  tail: null,
  changed: null,
  now: NOW,
  zone: 'UTC',
  rules: [],
};

function failedWith(message: string, rest: Partial<AgentError> = {}): Partial<AttemptEvidence> {
  return { verdict: { kind: 'failed', message, error: agentError(message, rest) } };
}

const SPENT = { because: 'spent', message: 'the budget is spent' } as const;

function call(
  kind: ModelCall['kind'],
  error: AgentError | null,
  overBudget: ModelCall['overBudget'] = null,
): ModelCall {
  const stop = error === null && overBudget === null ? 'end' : null;
  return { kind, error, isLimit: error !== null, stop, ended: true, overBudget };
}

function done(summary: string): Partial<AttemptEvidence> {
  return { exit: { kind: 'code', code: 0 }, verdict: { kind: 'done', summary } };
}

const oom = { oomKilled: true, lost: false, startError: null };
const limit = agentError('slow down', { status: 429, retryAfterMs: 90_000, at: NOW });

/** `reason type category recovery concerns`, or the outcome. */
function classified(evidence: Partial<AttemptEvidence>): string {
  const found = classifyAttempt({ ...died, ...evidence });
  if (found.kind !== 'failed') return found.kind;
  const { reason, type, category, recovery, concerns } = failureOf(found);
  return [reason, type, category, recovery, concerns].join(' ');
}

describe('the strongest evidence decides', () => {
  const cases: [why: string, given: Partial<AttemptEvidence>, expected: string][] = [
    ["a user's stop before everything", { stoppedBy: 'user', container: oom }, 'stopped'],
    [
      'the container before the provider',
      { container: oom, calls: [call('main', limit)], ...failedWith('x', { status: 401 }) },
      'oom container_crash resource transient attempt',
    ],
    [
      'a container that could not start it',
      {
        container: {
          ...oom,
          oomKilled: false,
          startError: 'exec: "claude": executable file not found',
        },
      },
      'agent_missing agent_failure cli_error terminal identity',
    ],
    [
      'a container that would not start it',
      { container: { ...oom, oomKilled: false, startError: 'mount denied' } },
      'start_refused agent_failure cli_error terminal identity',
    ],
    [
      'a container that went away',
      { container: { ...oom, oomKilled: false, lost: true } },
      'interrupted container_crash cli_error transient attempt',
    ],
    [
      'a container that was ended since it wrote too much',
      {
        container: { ...oom, oomKilled: false, overLimit: 'disk' },
        exit: exitFrom(137, null),
        ...failedWith('x', { status: 401 }),
      },
      'killed container_crash cli_error transient attempt',
    ],
    [
      'a folder that is closed to the agent, behind an end that nothing else explains',
      { isReadOnly: true },
      'workspace_denied fatal resource terminal run',
    ],
    [
      'the same after a message about a permission, which means the login if the folder is writable',
      { isReadOnly: true, tail: { stdout: [], stderr: ['Error: permission denied'] } },
      'workspace_denied fatal resource terminal run',
    ],
    [
      'a message about a permission in a writable folder',
      { isReadOnly: false, tail: { stdout: [], stderr: ['Error: permission denied'] } },
      'auth fatal cli_error terminal identity',
    ],
    [
      'a closed folder explains no limit, no crash by a signal and no finished work',
      { isReadOnly: true, calls: [call('main', limit)] },
      'rate_limited rate_limit cli_error transient identity',
    ],
    [
      'a crash by a signal in a closed folder',
      { isReadOnly: true, exit: exitFrom(139, null) },
      'crashed container_crash cli_error transient attempt',
    ],
    ['finished work in a closed folder', { isReadOnly: true, ...done('ok') }, 'completed'],
    [
      'a prompt that the provider refuses',
      { calls: [call('main', agentError('Invalid prompt: it is blank', { status: 400 }))] },
      'bad_prompt fatal validation terminal run',
    ],
    [
      'the same by its code',
      { calls: [call('main', agentError('no', { status: 400, code: 'invalid_prompt' }))] },
      'bad_prompt fatal validation terminal run',
    ],
    [
      'a prompt that a policy refuses: another provider may take it',
      {
        calls: [
          call(
            'main',
            agentError('Invalid prompt: flagged as potentially violating our usage policy', {
              status: 400,
              code: 'invalid_prompt',
            }),
          ),
        ],
      },
      'content_filtered agent_failure validation persistent identity',
    ],
    [
      'any other request that the provider refuses',
      { calls: [call('main', agentError('Unsupported parameter: x', { status: 400 }))] },
      'bad_usage agent_failure cli_error terminal identity',
    ],
    [
      'memory that ran out under a tool, in work that was finished',
      { container: oom, ...done('ok') },
      'completed',
    ],
    [
      'the gateway before what the CLI makes of it',
      { calls: [call('main', limit)], ...failedWith('something broke', { code: 'server_error' }) },
      'rate_limited rate_limit cli_error transient identity',
    ],
    [
      'a call of a subagent',
      { calls: [call('main', null), call('sub', limit)] },
      'rate_limited rate_limit cli_error transient identity',
    ],
    [
      'a call on the side is none',
      { calls: [call('main', null), call('side', limit)] },
      'crashed retryable logic unknown attempt',
    ],
    [
      'a call that was answered since is none',
      { calls: [call('main', limit), call('main', null)] },
      'crashed retryable logic unknown attempt',
    ],
    [
      'a budget that is spent',
      { calls: [call('main', null, { because: 'spent', message: 'the budget is spent' })] },
      'budget fatal resource terminal run',
    ],
    [
      'D2: a budget that is spent by a call on the side, though work went on',
      { calls: [call('main', null), call('side', null, SPENT), call('main', null)] },
      'budget fatal resource terminal run',
    ],
    [
      'D2: a budget that is spent while the history is made shorter',
      { calls: [call('main', null), call('compaction', null, SPENT)] },
      'budget fatal resource terminal run',
    ],
    [
      'D11: a model without a price',
      { calls: [call('main', null, { because: 'price-unknown', message: 'no price' })] },
      'price_unknown fatal resource terminal run',
    ],
    [
      'M10: a limit that the provider has reported for the configured model',
      { seesEveryCall: true, calls: [call('main', limit)] },
      'rate_limited rate_limit cli_error transient identity',
    ],
    [
      'M10: a limit of another model is none of the identity',
      { seesEveryCall: true, calls: [{ ...call('main', limit), isLimit: false }] },
      'rate_limited retryable cli_error transient attempt',
    ],
    [
      'M10: a limit that only the agent speaks of, where every call is seen',
      {
        seesEveryCall: true,
        calls: [call('main', null)],
        verdict: { kind: 'failed', message: '', error: limit },
      },
      'rate_limited retryable cli_error transient attempt',
    ],
    [
      'M10: or that the CLI repeats after the provider',
      {
        seesEveryCall: true,
        calls: [call('main', null), call('compaction', limit)],
        verdict: { kind: 'failed', message: '', error: limit },
      },
      'rate_limited rate_limit cli_error transient identity',
    ],
    [
      'the CLI before its exit code',
      {
        ...failedWith('Invalid API key', { code: 'authentication_failed' }),
        exit: { kind: 'code', code: 137 },
      },
      'auth fatal cli_error terminal identity',
    ],
    [
      'a deadline where nothing else is known',
      { stoppedBy: 'deadline', exit: { kind: 'signal', signal: 'SIGTERM' } },
      'deadline retryable logic persistent attempt',
    ],
    [
      'a time budget, whatever the agent did when it ended',
      {
        stoppedBy: 'time-budget',
        verdict: { kind: 'interrupted', message: 'The time budget of this run is spent' },
        calls: [call('main', limit)],
      },
      'budget fatal resource terminal run',
    ],
    [
      'a failing call before the deadline that ended the waiting for it',
      { stoppedBy: 'deadline', verdict: { kind: 'cut-off', message: '', error: limit } },
      'rate_limited rate_limit cli_error transient identity',
    ],
    [
      'work that was finished in spite of a deadline',
      { stoppedBy: 'deadline', ...done('ok') },
      'completed',
    ],
  ];
  for (const [why, given, expected] of cases)
    test(why, () => assert.equal(classified(given), expected));
});

test('a model without a price is named, so that the question can name it too', () => {
  const refused = { because: 'price-unknown', message: 'no price', model: 'house-model' } as const;
  const found = classifyAttempt({ ...died, calls: [call('main', null, refused)] });
  assert.equal(found.kind === 'failed' && failureOf(found).model, 'house-model');
});

describe('D1, D3, D4: work is done only if its last model call ended well with a normal stop', () => {
  const fault = (code: string): AgentError => agentError('', { code });
  const ended = (stop: ModelCall['stop'], error: AgentError | null = null): ModelCall => ({
    ...call('main', error),
    stop,
  });
  const open: ModelCall = { ...call('main', null), stop: null, ended: false };
  const bad = agentError('no', { status: 401 });
  const spent = { because: 'spent', message: 'the budget is spent' } as const;
  const overflow = agentError('prompt is too long', { status: 400 });
  const cases: [why: string, calls: readonly ModelCall[], expected: string][] = [
    ['a normal end', [ended('end')], 'completed'],
    ['a tool as the last word, as structured answers are given', [ended('tools')], 'completed'],
    ['a refused call', [call('main', limit)], 'rate_limited'],
    ['a refused key', [call('main', bad)], 'auth'],
    ['a prompt that is too long', [call('main', overflow)], 'context_overflow'],
    [
      'a model that is not there',
      [call('main', agentError('unknown model', { status: 404 }))],
      'model_not_found',
    ],
    [
      'a refusal that no rule knows',
      [call('main', agentError('teapot', { status: 418 }))],
      'unknown',
    ],
    ['an answer that was cut', [ended('unfinished', fault('cut-answer'))], 'network'],
    ['nothing', [ended(null, fault('no-answer'))], 'invalid_output'],
    ['an answer cut for its length', [ended('length', fault('stop-length'))], 'output_limit'],
    ['an answer that was withheld', [ended('filter', fault('stop-filter'))], 'content_filtered'],
    ['a stop that means no end', [ended('unfinished', fault('stop-unfinished'))], 'invalid_output'],
    ['a call that it did not wait for', [ended(null)], 'unknown'],
    ['a call that is still open', [ended('end'), open], 'unknown'],
    ['a break after the normal end was said', [ended('end', fault('cut-answer'))], 'completed'],
    ['a failed call that was made good', [call('main', limit), ended('end')], 'completed'],
    ['good calls before the failed one', [ended('end'), call('main', limit)], 'rate_limited'],
    ['a failed call on the side after it', [ended('end'), call('side', limit)], 'completed'],
    ['a good call on the side after a failed one', [call('main', bad), call('side', null)], 'auth'],
    ['a failed subagent after it', [ended('end'), call('sub', limit)], 'completed'],
    ['a good subagent after a failed call', [call('main', bad), call('sub', null)], 'auth'],
    ['subagents alone', [call('sub', bad)], 'auth'],
    ['an agent that offers no tools', [call('side', bad)], 'auth'],
    [
      'an agent that offers no tools, answered',
      [call('side', bad), call('side', null)],
      'completed',
    ],
    ['a spent budget', [call('main', null, spent)], 'budget'],
    [
      'a budget spent beside work that was finished',
      [ended('end'), call('side', null, spent)],
      'completed',
    ],
    [
      'a budget spent in the middle of the work',
      [ended('tools'), call('compaction', null, spent)],
      'budget',
    ],
    ['no call of a model at all', [], 'completed'],
    ['calls that only count', [call('count', bad), call('probe', bad)], 'completed'],
  ];
  for (const [why, calls, expected] of cases)
    test(`${why}: ${expected}`, () =>
      assert.equal(
        classified({ calls, ...done('All done.'), changed: true }).split(' ')[0],
        expected,
      ));

  for (const cli of ['gemini', 'custom', 'opencode', 'copilot'])
    test(`${cli}: whatever the CLI is`, () =>
      assert.equal(
        classified({ cli, calls: [call('main', bad)], ...done('ok') }).split(' ')[0],
        'auth',
      ));
});

describe('an end without a message', () => {
  const silent = { tail: { stdout: [], stderr: [] } };
  const cases: [why: string, given: Partial<AttemptEvidence>, reason: string][] = [
    [
      'nothing to start',
      { exit: { kind: 'not-started', code: 'ENOENT', message: '' } },
      'agent_missing agent_failure',
    ],
    [
      'not allowed to start',
      { exit: { kind: 'not-started', code: 'EACCES', message: '' } },
      'start_refused agent_failure',
    ],
    ['a shell that did not find it', { exit: exitFrom(127, null) }, 'agent_missing agent_failure'],
    ['a shell that may not start it', { exit: exitFrom(126, null) }, 'start_refused agent_failure'],
    ['SIGKILL', { exit: exitFrom(null, 'SIGKILL') }, 'killed container_crash'],
    ['137 is SIGKILL as well', { exit: exitFrom(137, null) }, 'killed container_crash'],
    ['143 is SIGTERM', { exit: exitFrom(143, null) }, 'killed container_crash'],
    ['a crash by a signal', { exit: exitFrom(null, 'SIGSEGV') }, 'crashed container_crash'],
    ['139 is such a crash', { exit: exitFrom(139, null) }, 'crashed container_crash'],
    [
      'a runtime that ran out of memory',
      {
        exit: exitFrom(134, null),
        tail: {
          stdout: [],
          stderr: ['FATAL ERROR: Reached heap limit - JavaScript heap out of memory'],
        },
      },
      'oom container_crash',
    ],
    ['any other exit code', { exit: exitFrom(3, null) }, 'crashed retryable'],
    ['a CLI that ended before its first word', silent, 'bad_usage agent_failure'],
    ['a program that ended in silence', { ...silent, structured: false }, 'crashed retryable'],
    [
      'no answer and no change',
      { ...done(''), ...silent, changed: false },
      'empty_answer retryable',
    ],
    [
      'no answer, and changes were not checked',
      { ...done(''), ...silent },
      'empty_answer retryable',
    ],
    ['no answer but a change', { ...done(''), ...silent, changed: true }, 'completed'],
    ['no answer, and its output was not read', done(''), 'completed'],
    [
      'a question and no change',
      { ...done('Which file?'), changed: false },
      'needs_input retryable',
    ],
    ['a question after a change', { ...done('Shall I go on?'), changed: true }, 'completed'],
    [
      'a permission that was not given, and no change',
      {
        ...done('Done.'),
        changed: false,
        transcript: { ...EMPTY_TRANSCRIPT, asked: 'May it use Write?' },
      },
      'needs_input retryable',
    ],
  ];
  for (const [why, given, reason] of cases)
    test(`${why}: ${reason}`, () =>
      assert.equal(classified(given).split(' ').slice(0, 2).join(' '), reason));
});

describe('a limit has a reset time', () => {
  const cases: [why: string, error: AgentError, reset: string | null][] = [
    ['by a header', limit, '2026-11-15T12:01:30.000Z'],
    [
      'by an instant',
      agentError('x', { status: 429, resetAt: NOW + 5000 }),
      '2026-11-15T12:00:05.000Z',
    ],
    [
      'in words',
      agentError('Please try again in 2m.', { status: 429 }),
      '2026-11-15T12:02:00.000Z',
    ],
    ['not at all', agentError('x', { status: 429 }), null],
    ['a bad key has none', agentError('try again in 2m', { status: 401 }), null],
  ];
  for (const [why, error, reset] of cases)
    test(why, () => {
      const found = classifyAttempt({ ...died, calls: [call('main', error)] });
      const at = found.kind === 'failed' ? failureOf(found).resetAt : null;
      assert.equal(at === null ? null : new Date(at).toISOString(), reset);
    });
});

describe("a user's own rule", () => {
  const rules = userRules(
    [
      { id: 'proxy', cli: null, reason: 'network', pattern: '^upstream .* is down', exitCodes: [] },
      { id: 'seat', cli: 'custom', reason: 'quota_exhausted', pattern: null, exitCodes: [77] },
    ],
    'custom',
  );
  const base = { ...died, cli: 'custom', structured: false, rules };
  const cases: [why: string, given: Partial<AttemptEvidence>, rule: string][] = [
    ['fits a last line', { tail: { stdout: [], stderr: ['upstream B is down'] } }, 'config/proxy'],
    ['fits an error', failedWith('upstream A is down'), 'config/proxy'],
    ['fits an exit code', { exit: exitFrom(77, null) }, 'config/seat'],
    ['fits nothing else', { exit: exitFrom(78, null) }, 'no-rule'],
  ];
  for (const [why, given, rule] of cases)
    test(why, () => {
      const found = classifyAttempt({ ...base, ...given });
      assert.equal(found.kind === 'failed' ? found.failure?.evidence[0]?.rule : undefined, rule);
    });

  test('for another program does not apply', () => {
    const one = { id: 'a', reason: 'auth', pattern: 'x', exitCodes: [] } as const;
    assert.deepEqual(userRules([{ ...one, cli: 'codex' }], 'claude'), []);
  });
});

describe("a container's state", () => {
  const none = { oomKilled: false, lost: false, startError: null };
  const cases: [why: string, text: string, state: unknown][] = [
    [
      'as docker inspect prints it',
      '[{"State":{"OOMKilled":true,"ExitCode":137,"Error":""}}]',
      { ...none, oomKilled: true },
    ],
    [
      'the state alone',
      '{"OOMKilled":false,"Error":"exec failed"}',
      { ...none, startError: 'exec failed' },
    ],
    ['in our own words', '{"oom_killed":true}', { ...none, oomKilled: true }],
    ['one that is dead', '{"Status":"dead"}', { ...none, lost: true }],
    ['one that only exited', '{"Status":"exited","OOMKilled":false,"ExitCode":0}', none],
    ['no state', 'hello', undefined],
  ];
  for (const [why, text, state] of cases)
    test(why, () => assert.deepEqual(readContainerState(text), state));
});
