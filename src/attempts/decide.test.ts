import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Script } from '../testing/play-attempts.ts';
import { done, failed, playAttempts, settingsFor } from '../testing/play-attempts.ts';

type Case = readonly [why: string, script: Script, told: readonly string[]];

/** How a run of these agents goes; that it looks around is told where it matters. */
function told(script: Script): readonly string[] {
  return playAttempts(script).told.filter((line) => line !== 'looks');
}

function table(name: string, cases: readonly Case[]): void {
  describe(name, () => {
    for (const [why, script, expected] of cases)
      test(why, () => assert.deepEqual(told(script), expected));
  });
}

const HOUR = 3_600_000;
const two = settingsFor(['a', 'b']);
const three = settingsFor(['a', 'b', 'c']);

table('fallback-first', [
  ['completed work ends it', { settings: two, attempts: [done] }, ['a', 'unverified: done']],
  [
    'a crash: the next agent, at once',
    { settings: two, attempts: [failed('crashed'), done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
  [
    'each identity once, then it is exhausted and says who was tried',
    { settings: two, attempts: [failed('crashed'), failed('network')] },
    [
      'a',
      'b at 1 s',
      'exhausted: no agent is left: tried a: crashed (crashed), b: network (network)',
    ],
  ],
  [
    'one agent alone that fails: the run failed with its words',
    { attempts: [failed('crashed')] },
    ['a', 'failed: a: crashed'],
  ],
  [
    'a limited agent with a fallback: cool, then the fallback, at once',
    { settings: two, attempts: [failed('rate_limited'), done] },
    ['a', 'cools a until 3601 s', 'b at 1 s', 'unverified: done'],
  ],
  [
    "a limit cools to the provider's reset",
    { settings: two, attempts: [failed('quota_exhausted', { resetMs: 7 * HOUR }), done] },
    ['a', 'cools a until 25200 s', 'b at 1 s', 'unverified: done'],
  ],
  [
    'a refused key concerns the identity: the next one',
    { settings: two, attempts: [failed('auth'), done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
  [
    'so does a CLI that is not there',
    { settings: two, attempts: [failed('agent_missing'), done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
  [
    'what is blocked belongs to the run: nobody else is tried',
    { settings: two, attempts: [failed('blocked')] },
    ['a', 'blocked: a: blocked'],
  ],
  [
    'an out of memory moves on as well',
    { settings: two, attempts: [failed('oom'), done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
  [
    'a run can give each agent retries, with the waits of the table',
    {
      settings: settingsFor(['a', 'b'], { retriesPerAgent: 1 }),
      attempts: [failed('crashed'), failed('crashed'), done],
    },
    ['a', 'waits until 6 s', 'a at 6 s', 'b at 7 s', 'unverified: done'],
  ],
]);

table('agents that rest', [
  [
    'one that another run found limited is passed by',
    { settings: two, cooling: { 'a::::::': HOUR }, attempts: [done] },
    ['b', 'unverified: done'],
  ],
  [
    'unless the user does not care',
    { settings: { ...two, ignoreCooldown: true }, cooling: { 'a::::::': HOUR }, attempts: [done] },
    ['a', 'unverified: done'],
  ],
  [
    'when all rest, the run waits for the first to be free',
    { settings: two, cooling: { 'a::::::': 2 * HOUR, 'b::::::': HOUR }, attempts: [done] },
    ['waits until 3600 s', 'b at 3600 s', 'unverified: done'],
  ],
  [
    'a limit with a known reset is waited for, and the same agent goes on',
    { attempts: [failed('rate_limited', { resetMs: HOUR }), done] },
    ['a', 'cools a until 3600 s', 'waits until 3600 s', 'a at 3600 s', 'unverified: done'],
  ],
  [
    'when only limits are left, the soonest is waited for',
    {
      settings: two,
      attempts: [
        failed('rate_limited', { resetMs: 2 * HOUR }),
        failed('rate_limited', { resetMs: HOUR }),
        done,
      ],
    },
    [
      'a',
      'cools a until 7200 s',
      'b at 1 s',
      'cools b until 3600 s',
      'waits until 3600 s',
      'b at 3600 s',
      'unverified: done',
    ],
  ],
  [
    'a limit of whose end nobody knows ends the run, which says when it could go on',
    { attempts: [failed('rate_limited')] },
    [
      'a',
      'cools a until 3601 s',
      'exhausted: no agent is left: tried a: rate_limited (rate_limited); on cooldown a until 2026-01-01T01:00:01.000Z (busy)',
    ],
  ],
  [
    'nobody waits longer than wait_max',
    { attempts: [failed('rate_limited', { resetMs: 13 * HOUR })] },
    [
      'a',
      'cools a until 46800 s',
      'exhausted: no agent is left: tried a: rate_limited (rate_limited); on cooldown a until 2026-01-01T13:00:00.000Z (busy)',
    ],
  ],
  [
    'nor at all with --no-wait',
    {
      settings: settingsFor(['a'], { waitForReset: false }),
      attempts: [failed('rate_limited', { resetMs: HOUR })],
    },
    [
      'a',
      'cools a until 3600 s',
      'exhausted: no agent is left: tried a: rate_limited (rate_limited); on cooldown a until 2026-01-01T01:00:00.000Z (busy)',
    ],
  ],
  [
    'retry-now ends the wait, and the limit is tried',
    {
      attempts: [failed('rate_limited', { resetMs: HOUR }), done],
      says: { 'cooling-1': 'retry-now' },
    },
    ['a', 'cools a until 3600 s', 'waits until 3600 s', 'a at 1 s', 'unverified: done'],
  ],
  [
    'where nobody keeps a book, what the run met itself still counts',
    { attempts: [failed('rate_limited', { resetMs: HOUR }), done], noBook: true },
    ['a', 'cools a until 3600 s', 'waits until 3600 s', 'a at 3600 s', 'unverified: done'],
  ],
  [
    'and so it does with --ignore-cooldown',
    {
      settings: settingsFor(['a'], {}, { ignoreCooldown: true }),
      attempts: [failed('rate_limited', { resetMs: HOUR }), done],
    },
    ['a', 'cools a until 3600 s', 'waits until 3600 s', 'a at 3600 s', 'unverified: done'],
  ],
  [
    'a limit that comes back again and again ends with the attempts',
    {
      settings: settingsFor(['a'], { attemptsMax: 2 }),
      attempts: [
        failed('rate_limited', { resetMs: HOUR }),
        failed('rate_limited', { resetMs: 2 * HOUR }),
      ],
    },
    [
      'a',
      'cools a until 3600 s',
      'waits until 3600 s',
      'a at 3600 s',
      'cools a until 7200 s',
      'exhausted: all 2 attempts are used up; the last: rate_limited',
    ],
  ],
]);

const retrying = settingsFor(['a', 'b'], { preset: 'retry-then-fallback' });
const crash = failed('crashed');

table('retry-then-fallback', [
  [
    'three retries after 5, 15 and 45 seconds, then the next agent',
    { settings: retrying, attempts: [crash, crash, crash, crash, done] },
    [
      ...['a', 'waits until 6 s', 'a at 6 s', 'waits until 22 s', 'a at 22 s'],
      ...['waits until 68 s', 'a at 68 s', 'b at 69 s', 'unverified: done'],
    ],
  ],
  [
    'a limit without an end: 60, 120 and 300 seconds, then another agent',
    {
      settings: retrying,
      attempts: [...Array.from({ length: 4 }, () => failed('rate_limited')), done],
    },
    [
      ...['a', 'cools a until 61 s', 'waits until 61 s', 'a at 61 s'],
      ...['cools a until 182 s', 'waits until 182 s', 'a at 182 s'],
      ...['cools a until 483 s', 'waits until 483 s', 'a at 483 s'],
      ...['cools a until 4084 s', 'b at 484 s', 'unverified: done'],
    ],
  ],
  [
    'a limit that lasts longer is bridged by another agent',
    { settings: retrying, attempts: [failed('rate_limited', { resetMs: HOUR }), done] },
    ['a', 'cools a until 3600 s', 'b at 1 s', 'unverified: done'],
  ],
  [
    'a fatal failure stops',
    { settings: retrying, attempts: [failed('auth')] },
    ['a', 'failed: a: auth'],
  ],
  [
    'a missing CLI is not tried again',
    { settings: retrying, attempts: [failed('agent_missing'), done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
  [
    'a crash: one fresh restart that uses up no retry',
    {
      settings: retrying,
      attempts: [failed('oom'), crash, crash, crash, crash, done],
    },
    [
      ...['a', 'a at 1 s', 'waits until 7 s', 'a at 7 s', 'waits until 23 s', 'a at 23 s'],
      ...['waits until 69 s', 'a at 69 s', 'b at 70 s', 'unverified: done'],
    ],
  ],
  [
    'a second crash: the next agent',
    { settings: retrying, attempts: [failed('oom'), failed('killed'), done] },
    ['a', 'a at 1 s', 'b at 2 s', 'unverified: done'],
  ],
  [
    'thirty attempts in all, whoever makes them',
    {
      settings: settingsFor(
        Array.from({ length: 20 }, (_, nth) => `a${nth}`),
        { preset: 'retry-then-fallback', retriesPerAgent: 1 },
      ),
      attempts: Array.from({ length: 40 }, () => failed('agent_missing')),
    },
    [
      ...Array.from({ length: 20 }, (_, nth) => `a${nth}${nth === 0 ? '' : ` at ${nth} s`}`),
      `exhausted: no agent is left: tried ${Array.from({ length: 20 }, (_, nth) => `a${nth}: agent_missing (agent_missing)`).join(', ')}`,
    ],
  ],
]);

table('step-feedback', [
  [
    'three attempts, waits that double, luck in the middle',
    { settings: settingsFor(['a'], { preset: 'step-feedback' }), attempts: [crash, crash, crash] },
    [
      ...['a', 'waits until 3 s', 'a at 3 s', 'waits until 8 s', 'a at 8 s'],
      'exhausted: no agent is left: tried a: crashed (crashed), a: crashed (crashed), a: crashed (crashed)',
    ],
  ],
  [
    'luck makes a wait a tenth shorter',
    {
      settings: settingsFor(['a'], { preset: 'step-feedback' }),
      luck: 0,
      attempts: [crash, 'open'],
    },
    ['a', 'waits until 2.8 s', 'a at 2.8 s'],
  ],
  [
    'five failures within five minutes open the breaker',
    {
      settings: settingsFor(['a'], {
        preset: 'step-feedback',
        retriesPerAgent: 9,
        attemptsMax: 20,
      }),
      attempts: [crash, crash, crash, crash, crash],
    },
    [
      ...['a', 'waits until 3 s', 'a at 3 s', 'waits until 8 s', 'a at 8 s', 'waits until 17 s'],
      ...['a at 17 s', 'waits until 34 s', 'a at 34 s'],
      'exhausted: 5 failures within 300 s: somebody has to look; the last one of a: crashed',
    ],
  ],
]);

table('the user', [
  [
    'stops it while an agent works: it is asked to end, and nobody follows',
    { settings: two, attempts: [], says: { 'attempt-1': 'stop' } },
    ['a', 'asks attempt-1', 'cancelled: stopped by the user during attempt 1'],
  ],
  [
    'stops it while it waits for a retry',
    { settings: retrying, attempts: [crash], says: { 'backoff-1': 'stop' } },
    ['a', 'waits until 6 s', 'asks backoff-1', 'cancelled: stopped by the user during attempt 1'],
  ],
  [
    'kills it while it rests',
    { attempts: [failed('rate_limited', { resetMs: HOUR })], says: { 'cooling-1': 'kill' } },
    [
      ...['a', 'cools a until 3600 s', 'waits until 3600 s', 'kills cooling-1'],
      'killed: stopped by the user during attempt 1',
    ],
  ],
  [
    'wants the next agent: the one at work is asked to end, and the next goes on',
    { settings: two, attempts: [done, done], says: { 'attempt-1': 'next' } },
    ['a', 'asks attempt-1', 'b', 'unverified: done'],
  ],
  [
    'wants the next agent instead of a retry',
    { settings: retrying, attempts: [crash, done], says: { 'backoff-1': 'next' } },
    ['a', 'waits until 6 s', 'asks backoff-1', 'b at 1 s', 'unverified: done'],
  ],
  [
    'wants the next agent where there is none: the one at work stays',
    { attempts: [done], says: { 'attempt-1': 'next' } },
    ['a', 'unverified: done'],
  ],
  [
    'an agent that was passed over does not come back',
    { settings: three, attempts: [crash, crash], says: { 'attempt-1': 'next' } },
    [
      ...['a', 'asks attempt-1', 'b', 'c at 1 s'],
      'exhausted: no agent is left: tried a: stopped, b: crashed (crashed), c: crashed (crashed)',
    ],
  ],
]);

const asking = failed('needs_input', { session: 's1' });

table('an agent that asks', [
  [
    'is told once, in its own conversation, that nobody is here',
    { settings: two, attempts: [asking, done] },
    ['a', 'a at 1 s in s1', 'unverified: done'],
  ],
  [
    'then a person is asked, and the answer goes on in that conversation',
    { settings: two, attempts: [asking, asking, done], answers: ['blue'] },
    ['a', 'a at 1 s in s1', 'asks: a asks: needs_input', 'a at 2 s in s1', 'unverified: done'],
  ],
  [
    "a conversation that can't be taken up is begun afresh, at no cost for the agent",
    { settings: two, attempts: [asking, failed('bad_usage'), done] },
    ['a', 'a at 1 s in s1', 'a at 2 s', 'unverified: done'],
  ],
]);

test('what is begun afresh is still told what it was to hear', () => {
  const { inputs } = playAttempts({
    settings: two,
    attempts: [asking, asking, failed('bad_usage'), done],
    answers: ['blue'],
  });
  assert.deepEqual(
    inputs.map(({ why, resume = null }) => [why?.kind, resume]),
    [
      ['first', null],
      ['nobody', 's1'],
      ['answered', 's1'],
      ['afresh', null],
    ],
  );
  assert.match(inputs.at(-1)?.prompt ?? '', /^blue$/m);
});

table('a spent budget', [
  [
    "is a question, and no other agent's chance",
    { settings: two, attempts: [failed('budget')] },
    ['a', 'asks: budget. Answer continue or stop.'],
  ],
  [
    'continue: the same agent in the same conversation',
    { settings: two, attempts: [failed('budget', { session: 's1' }), done], answers: ['continue'] },
    ['a', 'asks: budget. Answer continue or stop.', 'a at 1 s in s1', 'unverified: done'],
  ],
  [
    'stop: it is over',
    { settings: two, attempts: [failed('budget')], answers: ['Stop'] },
    [
      ...['a', 'asks: budget. Answer continue or stop.'],
      'cancelled: stopped when the budget was spent: budget',
    ],
  ],
  [
    'is not answered by passing the agent over',
    { settings: two, attempts: [failed('budget')], says: { 'ask-1': 'next' } },
    ['a', 'asks: budget. Answer continue or stop.'],
  ],
  [
    'anything else is asked again',
    { settings: two, attempts: [failed('budget')], answers: ['maybe'] },
    [...['a', 'asks: budget. Answer continue or stop.'], 'asks: budget. Answer continue or stop.'],
  ],
]);

table('--once', [
  [
    'one attempt and no recovery',
    { settings: { ...two, once: true }, attempts: [crash] },
    ['a', 'failed: a: crashed'],
  ],
  [
    'nor after a question',
    { settings: { ...two, once: true }, attempts: [asking] },
    ['a', 'failed: a: needs_input'],
  ],
  [
    'nor after a loss',
    { settings: { ...two, once: true }, attempts: ['lost'] },
    ['a', 'exhausted: the attempt was lost 1 times with its owner'],
  ],
]);
