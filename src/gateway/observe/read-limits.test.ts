import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { after, at } from '../../base/clock.ts';
import { readInstant, parseSpanMs, readRefusal, shortWaitMs } from './read-limits.ts';
import { quotaStatus, readWindows, WindowsSeen } from './usage-windows.ts';
import type { UsageWindow } from './usage-windows.ts';

const NOW = at(1_800_000_000_000);

describe('the retry time', () => {
  const cases: [
    why: string,
    headers: Record<string, string>,
    body: object,
    waitMs: number | null,
  ][] = [
    ['may be in milliseconds', { 'retry-after-ms': '1500', 'retry-after': '2' }, {}, 1500],
    ['may be in seconds', { 'retry-after': '2' }, {}, 2000],
    ['may be a date', { 'retry-after': new Date(NOW + 5000).toUTCString() }, {}, 5000],
    ['may be in the past', { 'retry-after': new Date(NOW - 5000).toUTCString() }, {}, 0],
    ['may be in the body', {}, { error: { resets_in_seconds: 90 } }, 90_000],
    ['may be in the form of Google', {}, { error: { details: [{ retryDelay: '17.5s' }] } }, 17_500],
    [
      "may be a subscription's reset",
      { 'anthropic-ratelimit-unified-reset': String(NOW / 1000 + 60) },
      {},
      60_000,
    ],
    ['is not said', {}, {}, null],
    ['is nonsense', { 'retry-after': 'soon' }, { error: { resets_in_seconds: 'x' } }, null],
  ];
  for (const [why, headers, body, waitMs] of cases)
    test(why, () => {
      const error = { type: '', message: '', body: { ...body } };
      const { retryAt } = readRefusal(429, headers, error, NOW);
      assert.equal(retryAt, waitMs === null ? null : after(NOW, waitMs));
    });
});

function causeOf(status: number, type: string, message: string): string {
  return readRefusal(status, {}, { type, message, body: {} }, NOW).cause;
}

describe('the text of a message', () => {
  test('does not turn another error into a limit', () => {
    assert.equal(
      causeOf(400, 'invalid_request_error', 'messages.3: 429 Too Many Requests'),
      'bad-request',
    );
    assert.equal(causeOf(500, 'api_error', 'rate limit'), 'server-error');
    for (const echo of [
      'credit balance is too low',
      'billing hard limit',
      'PerDay',
      'API_KEY_INVALID',
    ])
      assert.equal(
        causeOf(400, 'invalid_request_error', `messages.0.role: unexpected value '${echo}'`),
        'bad-request',
      );
    assert.equal(
      causeOf(
        429,
        'rate_limit_exceeded',
        'Request too large for gpt-5.5: Limit 30000, Requested 90000.',
      ),
      'bad-request',
    );
  });

  test('M10: about a long request is not a limit of the identity', () => {
    for (const words of [
      'Extra usage is required for long context requests.',
      'Usage credits are required for long context requests',
      'The long context beta is not yet available for long-context requests of this plan.',
    ])
      for (const status of [402, 429])
        assert.equal(causeOf(status, 'rate_limit_error', words), 'bad-request', words);
  });

  test('reports a used-up balance if it begins with that', () => {
    assert.equal(
      causeOf(400, 'invalid_request_error', 'Your credit balance is too low to access the API.'),
      'quota',
    );
  });

  test('distinguishes a full context from a bad request', () => {
    assert.equal(
      causeOf(400, 'invalid_request_error', 'prompt is too long: 9 > 8'),
      'context-overflow',
    );
    assert.equal(causeOf(400, 'context_length_exceeded', ''), 'context-overflow');
  });
});

test('only a known wait within the patience is short', () => {
  const cases = [
    ['rate-limit', 60_000],
    ['rate-limit', 60_001],
    ['rate-limit', null],
    ['auth', 5],
  ] as const;
  const waits = cases.map(([cause, waitMs]) => {
    const retryAt = waitMs === null ? null : after(NOW, waitMs);
    return shortWaitMs({ cause, status: 429, type: '', message: '', retryAt }, 60_000, NOW);
  });
  assert.deepEqual(waits, [60_000, undefined, undefined, undefined]);
});

test('durations and instants are parsed in the formats of the providers', () => {
  assert.deepEqual(['6m0s', '120ms', '1h2m3.5s', '2d', '', '5', 's', '-1s'].map(parseSpanMs), [
    360_000,
    120,
    3_723_500,
    172_800_000,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  assert.deepEqual(['1800000000', '2027-01-15T08:00:00Z', 'never', undefined].map(readInstant), [
    NOW,
    at(Date.parse('2027-01-15T08:00:00Z')),
    null,
    null,
  ]);
});

describe('windows', () => {
  const cases: [why: string, headers: Record<string, string>, windows: UsageWindow[]][] = [
    [
      'of a key',
      {
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '10',
        'anthropic-ratelimit-requests-reset': '2027-01-15T08:00:30Z',
        'anthropic-ratelimit-tokens-limit': 'many',
      },
      [
        {
          name: 'requests',
          limit: 50,
          used: 40,
          remaining: 10,
          usedPercent: 80,
          resetAt: after(NOW, 30_000),
        },
      ],
    ],
    [
      'of a subscription, with any name',
      {
        'anthropic-ratelimit-unified-status': 'allowed',
        'anthropic-ratelimit-unified-7d_opus-utilization': '0.25',
        'anthropic-ratelimit-unified-7d_opus-reset': '1800000060',
      },
      [
        {
          name: '7d_opus',
          limit: null,
          used: null,
          remaining: null,
          usedPercent: 25,
          resetAt: after(NOW, 60_000),
        },
      ],
    ],
    [
      'of OpenAI',
      {
        'x-ratelimit-limit-tokens': '30000',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '1m30s',
      },
      [
        {
          name: 'tokens',
          limit: 30_000,
          used: 30_000,
          remaining: 0,
          usedPercent: 100,
          resetAt: after(NOW, 90_000),
        },
      ],
    ],
    [
      'of a ChatGPT plan',
      {
        'x-codex-primary-used-percent': '12.5',
        'x-codex-primary-window-minutes': '300',
        'x-codex-primary-reset-after-seconds': '60',
        'x-codex-secondary-used-percent': '3',
        'x-codex-secondary-window-minutes': '10080',
      },
      [
        {
          name: '5h',
          limit: null,
          used: null,
          remaining: null,
          usedPercent: 12.5,
          resetAt: after(NOW, 60_000),
        },
        { name: '7d', limit: null, used: null, remaining: null, usedPercent: 3, resetAt: null },
      ],
    ],
    ['of no provider', { date: 'today' }, []],
  ];
  for (const [why, headers, windows] of cases)
    test(why, () => assert.deepEqual(readWindows(headers, NOW), windows));

  const window = (usedPercent: number, resetMs: number | null): UsageWindow => ({
    name: 'x',
    limit: null,
    used: null,
    remaining: null,
    usedPercent,
    resetAt: resetMs === null ? null : after(NOW, resetMs),
  });
  const states: [why: string, windows: UsageWindow[], status: string][] = [
    ['without windows is ok', [], 'ok'],
    ['with a tenth left is ok', [window(90, null)], 'ok'],
    ['with less than a tenth left is low', [window(50, null), window(91, null)], 'quota-low'],
    ['with nothing left is exhausted', [window(91, null), window(100, null)], 'quota-exhausted'],
    ['that resets soon is ok', [window(100, 60_000)], 'ok'],
    ['that resets later is exhausted', [window(100, 60_001)], 'quota-exhausted'],
  ];
  for (const [why, windows, status] of states)
    test(`a quota ${why}`, () => assert.equal(quotaStatus(windows, 60_000, NOW), status));

  test('are new only if they change', () => {
    const seen = new WindowsSeen();
    const news = [50, 50.4, 51, 51].map((used) =>
      seen.hasChanged('anthropic', [window(used, null)], 'ok'),
    );
    assert.deepEqual(
      [...news, seen.hasChanged('gemini', [], 'ok')],
      [true, false, true, false, false],
    );
  });
});

test('no answer of a provider makes the parsers throw', () => {
  const headers = fc.dictionary(
    fc.constantFrom(
      'retry-after',
      'retry-after-ms',
      'anthropic-ratelimit-unified-reset',
      'x-codex-primary-used-percent',
      'x-ratelimit-limit-tokens',
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(
      fc.nat(599),
      headers,
      fc.string(),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (status, said, type, body) => {
        readRefusal(status, said, { type, message: type, body }, NOW);
        quotaStatus(readWindows(said, NOW), 60_000, NOW);
      },
    ),
  );
});
