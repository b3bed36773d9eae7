/** What the attempt loop decides with the presets that retry an agent. */
import { done, failed, settingsFor } from '../../test/support/drive-attempts.ts';
import { drivenTable } from '../../test/support/driven-table.ts';

const HOUR = 3_600_000;
const retrying = settingsFor(['a', 'b'], { preset: 'retry-then-fallback' });
const crash = failed('crashed');
const TWENTY = Array.from({ length: 20 }, (_, nth) => `a${nth}`);

drivenTable('retry-then-fallback', [
  [
    'three retries after 5, 15 and 45 seconds, then the next agent',
    { settings: retrying, attempts: [crash, crash, crash, crash, done] },
    [
      ...['a', 'waits until 6 s', 'a at 6 s', 'waits until 22 s', 'a at 22 s'],
      ...['waits until 68 s', 'a at 68 s', 'b at 69 s', 'unverified: done'],
    ],
  ],
  [
    'a limit without a known end: retries after 60, 120 and 300 seconds, then another agent',
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
    'another agent takes over if a limit lasts longer than the waits',
    { settings: retrying, attempts: [failed('rate_limited', { resetMs: HOUR }), done] },
    ['a', 'cools a until 3600 s', 'b at 1 s', 'unverified: done'],
  ],
  [
    'a fatal failure ends the run',
    { settings: retrying, attempts: [failed('auth')] },
    ['a', 'failed: a: auth'],
  ],
  [
    'a missing CLI is not tried again',
    { settings: retrying, attempts: [failed('agent_missing'), done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
  [
    'after a crash the agent restarts once, which uses up no retry',
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
    'after a second crash the next agent takes over',
    { settings: retrying, attempts: [failed('oom'), failed('killed'), done] },
    ['a', 'a at 1 s', 'b at 2 s', 'unverified: done'],
  ],
  [
    'one restart after a crash in a run, whatever the retries of an agent are (R15)',
    {
      settings: settingsFor(['a', 'b', 'c'], {
        preset: 'retry-then-fallback',
        retriesPerAgent: 100,
      }),
      attempts: [failed('killed'), failed('killed'), failed('killed'), done],
    },
    ['a', 'a at 1 s', 'b at 2 s', 'c at 3 s', 'unverified: done'],
  ],
  [
    'each agent tries once if its failure cannot be retried',
    {
      settings: settingsFor(TWENTY, { preset: 'retry-then-fallback', retriesPerAgent: 1 }),
      attempts: Array.from({ length: 40 }, () => failed('agent_missing')),
    },
    [
      ...TWENTY.map((id, nth) => `${id}${nth === 0 ? '' : ` at ${nth} s`}`),
      `exhausted: no agent is left: tried ${TWENTY.map((id) => `${id}: agent_missing (agent_missing)`).join(', ')}`,
    ],
  ],
  [
    'a run has at most thirty attempts, over all agents',
    {
      settings: settingsFor(TWENTY, { preset: 'retry-then-fallback', retriesPerAgent: 1 }),
      attempts: Array.from({ length: 40 }, () => crash),
    },
    [
      // Each agent fails, waits 5 s, and fails again: 7 s for two attempts.
      ...TWENTY.slice(0, 15).flatMap((id, nth) => [
        `${id}${nth === 0 ? '' : ` at ${nth * 7} s`}`,
        `waits until ${nth * 7 + 6} s`,
        `${id} at ${nth * 7 + 6} s`,
      ]),
      'exhausted: all 30 attempts are used up; the last: crashed',
    ],
  ],
]);

drivenTable('step-feedback', [
  [
    'three attempts, with waits that double, for a random number in the middle',
    { settings: settingsFor(['a'], { preset: 'step-feedback' }), attempts: [crash, crash, crash] },
    [
      ...['a', 'waits until 3 s', 'a at 3 s', 'waits until 8 s', 'a at 8 s'],
      'exhausted: no agent is left: tried a: crashed (crashed), a: crashed (crashed), a: crashed (crashed)',
    ],
  ],
  [
    'the smallest random number makes a wait a tenth shorter',
    {
      settings: settingsFor(['a'], { preset: 'step-feedback' }),
      random: 0,
      attempts: [crash, 'open'],
    },
    ['a', 'waits until 2.8 s', 'a at 2.8 s'],
  ],
  [
    'the next agent follows after three tries, and five failures within five minutes open the breaker',
    {
      settings: settingsFor(['a', 'b'], { preset: 'step-feedback' }),
      attempts: [crash, crash, crash, crash, crash],
    },
    [
      ...['a', 'waits until 3 s', 'a at 3 s', 'waits until 8 s', 'a at 8 s', 'b at 9 s'],
      ...['waits until 12 s', 'b at 12 s'],
      'exhausted: 5 failures within 300 s: a person has to look into it; the last one of b: crashed',
    ],
  ],
  [
    'five failures of one agent open the breaker too',
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
      'exhausted: 5 failures within 300 s: a person has to look into it; the last one of a: crashed',
    ],
  ],
]);
