/** What the attempt loop decides where agents rest after a limit. */
import { done, failed, settingsFor } from '../../test/support/drive-attempts.ts';
import { drivenTable } from '../../test/support/driven-table.ts';

const HOUR = 3_600_000;
const two = settingsFor(['a', 'b']);

drivenTable('agents that rest', [
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
    'the agent that was waited for goes on, also if the limit of the last one is nearly over',
    {
      settings: settingsFor(['a', 'b'], { preset: 'retry-then-fallback' }),
      cooling: { 'b::::::': 700_000 },
      attempts: [failed('rate_limited', { resetMs: 900_000 }), done],
    },
    ['a', 'cools a until 900 s', 'waits until 700 s', 'b at 700 s', 'unverified: done'],
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
