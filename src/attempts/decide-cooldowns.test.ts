/** What the attempt loop decides if agents are cooling down after a limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, driveAttempts, failed, settingsFor } from '../../test/support/drive-attempts.ts';
import { drivenTable } from '../../test/support/driven-table.ts';
import type { AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';

const HOUR = 3_600_000;
const again = (sinceStart: number): AttemptOutcome =>
  failed('rate_limited', { resetMs: sinceStart + 300_000 });
const two = settingsFor(['a', 'b']);

drivenTable('agents that are cooling down', [
  [
    'an agent that another run found limited is skipped',
    { settings: two, cooling: { 'a::::::': HOUR }, attempts: [done] },
    ['b', 'unverified: done'],
  ],
  [
    'an agent whose window would not hold the work is passed over before it is limited',
    { settings: two, closing: { 'a::::::': HOUR }, attempts: [done] },
    ['b', 'unverified: done'],
  ],
  [
    'it starts all the same if there is no other agent',
    { settings: two, closing: { 'a::::::': HOUR, 'b::::::': HOUR }, attempts: [done] },
    ['a', 'unverified: done'],
  ],
  [
    'it is better than an agent that is cooling down',
    { settings: two, closing: { 'a::::::': HOUR }, cooling: { 'b::::::': HOUR }, attempts: [done] },
    ['a', 'unverified: done'],
  ],
  [
    'with --ignore-cooldown it starts',
    { settings: { ...two, ignoreCooldown: true }, closing: { 'a::::::': HOUR }, attempts: [done] },
    ['a', 'unverified: done'],
  ],
  [
    'with --ignore-cooldown, an agent that another run found limited starts',
    { settings: { ...two, ignoreCooldown: true }, cooling: { 'a::::::': HOUR }, attempts: [done] },
    ['a', 'unverified: done'],
  ],
  [
    'if all agents are cooling down, the run waits for the first that is free',
    { settings: two, cooling: { 'a::::::': 2 * HOUR, 'b::::::': HOUR }, attempts: [done] },
    ['waits until 3600 s', 'b at 3600 s', 'unverified: done'],
  ],
  [
    'the run waits for a limit with a known reset, and the same agent continues',
    { attempts: [failed('rate_limited', { resetMs: HOUR }), done] },
    ['a', 'cools a until 3600 s', 'waits until 3600 s', 'a at 3600 s', 'unverified: done'],
  ],
  [
    'a run that only limits hold up waits for the first reset',
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
    'the agent that the run waited for continues, even if the limit of the last agent is nearly over',
    {
      settings: settingsFor(['a', 'b'], { preset: 'retry-then-fallback' }),
      cooling: { 'b::::::': 700_000 },
      attempts: [failed('rate_limited', { resetMs: 900_000 }), done],
    },
    ['a', 'cools a until 900 s', 'waits until 700 s', 'b at 700 s', 'unverified: done'],
  ],
  [
    'a limit without a known end ends the run, and the reason says when it could continue',
    { attempts: [failed('rate_limited')] },
    [
      'a',
      'cools a until 3601 s',
      'exhausted: no agent is left: tried a: rate_limited (rate_limited); on cooldown a until 2026-01-01T01:00:01.000Z (busy)',
    ],
  ],
  [
    'a run does not wait longer than wait_max',
    { attempts: [failed('rate_limited', { resetMs: 13 * HOUR })] },
    [
      'a',
      'cools a until 46800 s',
      'exhausted: no agent is left: tried a: rate_limited (rate_limited); on cooldown a until 2026-01-01T13:00:00.000Z (busy)',
    ],
  ],
  [
    'a run does not wait at all with --no-wait',
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
    'retry-now ends the wait, and the limited agent tries again',
    {
      attempts: [failed('rate_limited', { resetMs: HOUR }), done],
      says: { 'wait-1': 'retry-now' },
    },
    ['a', 'cools a until 3600 s', 'waits until 3600 s', 'a at 1 s', 'unverified: done'],
  ],
  [
    'without a cooldown store, a limit that the run hit still counts',
    { attempts: [failed('rate_limited', { resetMs: HOUR }), done], withoutCooldowns: true },
    ['a', 'cools a until 3600 s', 'waits until 3600 s', 'a at 3600 s', 'unverified: done'],
  ],
  [
    'with --ignore-cooldown, a limit that the run hit still counts',
    {
      settings: settingsFor(['a'], {}, { ignoreCooldown: true }),
      attempts: [failed('rate_limited', { resetMs: HOUR }), done],
    },
    ['a', 'cools a until 3600 s', 'waits until 3600 s', 'a at 3600 s', 'unverified: done'],
  ],
  [
    'a limit before any work uses up no attempt; this run, and no other, waits longer each time',
    {
      settings: settingsFor(['a'], { attemptsMax: 2 }),
      attempts: [
        ...[10_000, 20_000, 80_000, 380_000].map((resetMs) => failed('rate_limited', { resetMs })),
        done,
      ],
    },
    [
      ...['a', 'cools a until 10 s', 'waits until 10 s'],
      ...['a at 10 s', 'cools a until 20 s', 'waits until 71 s'],
      ...['a at 71 s', 'cools a until 80 s', 'waits until 372 s'],
      ...['a at 372 s', 'cools a until 380 s', 'waits until 1273 s'],
      ...['a at 1273 s', 'unverified: done'],
    ],
  ],
  [
    'a reset that is later than such a wait counts',
    {
      attempts: [
        failed('rate_limited', { resetMs: 10_000 }),
        failed('rate_limited', { resetMs: HOUR }),
        done,
      ],
    },
    [
      ...['a', 'cools a until 10 s', 'waits until 10 s'],
      ...['a at 10 s', 'cools a until 3600 s', 'waits until 3600 s', 'a at 3600 s'],
      'unverified: done',
    ],
  ],
  [
    'a run that limits alone hold up ends when it has waited for wait_max_s in all',
    {
      settings: settingsFor(['a'], { waitMaxMs: 100_000 }),
      attempts: [10_000, 20_000, 80_000].map((resetMs) => failed('rate_limited', { resetMs })),
    },
    [
      ...['a', 'cools a until 10 s', 'waits until 10 s'],
      ...['a at 10 s', 'cools a until 20 s', 'waits until 71 s'],
      ...['a at 71 s', 'cools a until 80 s'],
      'exhausted: no agent is left: tried a: rate_limited (rate_limited), a: rate_limited (rate_limited), a: rate_limited (rate_limited); on cooldown a until 2026-01-01T00:06:12.000Z (rate_limited)',
    ],
  ],
  [
    'agents that are limited in turn, without a reset, are asked less and less often too',
    {
      settings: settingsFor(['a', 'b'], { cooldownMs: 1000 }),
      attempts: Array.from({ length: 60 }, () => failed('rate_limited')),
    },
    [
      ...['a', 'cools a until 2 s', 'b at 1 s', 'cools b until 3 s'],
      ...['a at 2 s', 'cools a until 4 s', 'b at 3 s', 'cools b until 5 s'],
      'exhausted: no agent is left: tried a: rate_limited (rate_limited), b: rate_limited (rate_limited), a: rate_limited (rate_limited), b: rate_limited (rate_limited); on cooldown a until 2026-01-01T00:01:03.000Z (rate_limited), b until 2026-01-01T00:01:04.000Z (rate_limited)',
    ],
  ],
  [
    'a machine that slept past the end of a limit has not used up the waiting',
    {
      settings: settingsFor(['a'], { waitMaxMs: HOUR }),
      attempts: [failed('rate_limited', { resetMs: 600_000 }), again, done],
      sleptIn: { 'wait-1': 60 * HOUR },
    },
    [
      ...['a', 'cools a until 600 s', 'waits until 600 s'],
      ...['a at 216600 s', 'cools a until 216901 s', 'waits until 216901 s'],
      ...['a at 216901 s', 'unverified: done'],
    ],
  ],
  [
    'a pause before a wait has not used it up either',
    {
      settings: settingsFor(['a'], { waitMaxMs: HOUR }),
      attempts: [failed('rate_limited', { resetMs: 0 }), again, again, done],
      pausedBefore: { 'attempt-2': 60 * HOUR, 'set-cooldown-2': 60 * HOUR },
    },
    [
      ...['a', 'cools a until 0 s', 'a at 216001 s', 'cools a until 216302 s'],
      ...['a at 432002 s', 'cools a until 432303 s', 'waits until 432303 s'],
      ...['a at 432303 s', 'unverified: done'],
    ],
  ],
  [
    'waits for the limits of other runs count too',
    {
      settings: settingsFor(['a'], { waitMaxMs: HOUR }),
      cooling: { 'a::::::': HOUR },
      attempts: [(sinceStart) => failed('rate_limited', { resetMs: sinceStart + 60_000 })],
    },
    [
      ...['waits until 3600 s', 'a at 3600 s', 'cools a until 3661 s'],
      'exhausted: no agent is left: tried a: rate_limited (rate_limited); on cooldown a until 2026-01-01T01:01:01.000Z (busy)',
    ],
  ],
  [
    'and so do the waits of a retry',
    {
      settings: settingsFor(['a'], { preset: 'retry-then-fallback', waitMaxMs: 200_000 }),
      attempts: [failed('rate_limited'), failed('rate_limited'), failed('rate_limited')],
    },
    [
      ...['a', 'cools a until 61 s', 'waits until 61 s'],
      ...['a at 61 s', 'cools a until 182 s', 'waits until 182 s', 'a at 182 s'],
      'cools a until 483 s',
      'exhausted: no agent is left: tried a: rate_limited (rate_limited), a: rate_limited (rate_limited), a: rate_limited (rate_limited); on cooldown a until 2026-01-01T00:08:03.000Z (busy)',
    ],
  ],
  [
    'work between two limits begins a new series',
    {
      settings: settingsFor(['a'], { waitMaxMs: 100_000 }),
      attempts: [10_000, 20_000, 80_000].map((resetMs) => failed('rate_limited', { resetMs })),
      notes: { 'attempt-2': [{ kind: 'turn', turn: {} }] },
    },
    [
      ...['a', 'cools a until 10 s', 'waits until 10 s'],
      ...['a at 10 s', 'cools a until 20 s', 'waits until 20 s'],
      ...['a at 20 s', 'cools a until 80 s', 'waits until 80 s', 'a at 80 s'],
    ],
  ],
  [
    'an attempt that changed files before its limit is one of the attempts that a run may have',
    {
      settings: settingsFor(['a'], { attemptsMax: 1 }),
      attempts: [{ ...failed('rate_limited', { resetMs: HOUR }), changed: true } as AttemptOutcome],
    },
    ['a', 'cools a until 3600 s', 'exhausted: the only attempt is used up; the last: rate_limited'],
  ],
  [
    'a limit that occurs again and again after some work ends the run when its attempts are used up',
    {
      settings: settingsFor(['a'], { attemptsMax: 2 }),
      attempts: [
        failed('rate_limited', { resetMs: HOUR }),
        failed('rate_limited', { resetMs: 2 * HOUR }),
      ],
      notes: {
        'attempt-1': [{ kind: 'turn', turn: {} }],
        'attempt-2': [{ kind: 'turn', turn: {} }],
      },
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

test('a provider that refuses for twelve hours is asked seventeen times', () => {
  const attempts = Array.from({ length: 60 }, () => failed('rate_limited', { resetMs: 0 }));
  const { trace } = driveAttempts({ attempts });
  assert.equal(trace.filter((move) => /^a( at|$)/.test(move)).length, 17);
  assert.match(trace.at(-1) ?? '', /^exhausted: no agent is left/);
});

test('agents whose attempts last longer than their cooldowns do not take turns for ever', () => {
  const { trace } = driveAttempts({
    settings: two,
    attempts: Array.from({ length: 200 }, () => failed('rate_limited', { resetMs: 0 })),
    attemptMs: 2 * HOUR,
  });
  assert.equal(trace.filter((move) => /^[ab]( at|$)/.test(move)).length, 22);
  assert.match(trace.at(-1) ?? '', /^exhausted: /);
});
