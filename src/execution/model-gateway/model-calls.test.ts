import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { CallAbout, CallEndKind, GatewayFact } from '../../gateway/gateway-facts.ts';
import type { StopKind } from '../../gateway/observe/stop-kind.ts';
import type { ObservedCalls } from './model-calls.ts';
import { foldCalls, isGivenUp } from './model-calls.ts';

const about = (number: number): CallAbout => ({
  number,
  wire: 'anthropic',
  kind: 'main',
  conversation: 'c',
  model: 'm',
});
const begun = (number: number): GatewayFact => ({
  kind: 'call-begun',
  at: at(1),
  call: about(number),
  requestBytes: 1,
});
const ended = (
  number: number,
  end: CallEndKind,
  stop: StopKind | null = null,
  stopWord: string | null = null,
): GatewayFact => ({
  kind: 'call-ended',
  at: at(2),
  call: about(number),
  end,
  status: null,
  stop,
  stopWord,
  usage: null,
  costUsd: null,
  ms: 1,
  firstByteMs: null,
  requestBytes: 1,
  responseBytes: 0,
  decisive: false,
});
const refused: GatewayFact = {
  kind: 'provider-refused',
  ofIdentity: true,
  at: at(2),
  call: about(1),
  refusal: {
    cause: 'rate-limit',
    status: 429,
    type: 'rate_limit_error',
    message: 'slow down',
    retryAt: at(9),
  },
  decisive: true,
};
const spent: Extract<GatewayFact, { kind: 'budget-exhausted' }> = {
  kind: 'budget-exhausted',
  message: 'The call budget of this run is spent',
  at: at(2),
  call: about(1),
  scope: 'run',
  limit: 'calls',
  because: 'spent',
  spent: { tokens: 0, usd: 0, calls: 1 },
};

const none = { status: null, code: null, retryAfterMs: null, resetAt: null };
const plain = {
  kind: 'main',
  error: null,
  isLimit: false,
  stop: null,
  ended: true,
  overBudget: null,
};
const cases: [why: string, facts: readonly GatewayFact[], calls: readonly object[]][] = [
  [
    'an answered call has no error',
    [begun(1), ended(1, 'answered', 'end')],
    [{ ...plain, stop: 'end' }],
  ],
  ['a call that is under way has not ended', [begun(1)], [{ ...plain, ended: false }]],
  [
    'an answer that was cut for its length has the stop word of the provider',
    [begun(1), ended(1, 'answered', 'length', 'MAX_TOKENS')],
    [
      {
        ...plain,
        stop: 'length',
        error: {
          ...none,
          message: 'the answer was cut at its longest allowed length (MAX_TOKENS)',
          code: 'stop-length',
          at: 2,
        },
      },
    ],
  ],
  [
    'an answer that the agent did not wait for is no error',
    [begun(1), ended(1, 'disconnected', 'unfinished')],
    [plain],
  ],
  ['one that the agent left has none either', [begun(1), ended(1, 'disconnected')], [plain]],
  [
    'a refusal has the time at which it ends, and stays after the end of its call',
    [begun(1), refused, ended(1, 'incomplete')],
    [
      {
        ...plain,
        isLimit: true,
        error: {
          message: 'slow down',
          status: 429,
          code: 'rate_limit_error',
          at: 2,
          retryAfterMs: null,
          resetAt: 9,
        },
      },
    ],
  ],
  [
    'an answer that broke off is a network error',
    [begun(1), ended(1, 'incomplete'), begun(2)],
    [
      {
        ...plain,
        error: { ...none, message: 'the answer was cut off', code: 'cut-answer', at: 2 },
      },
      { ...plain, ended: false },
    ],
  ],
  [
    'an empty answer is an error of another kind',
    [begun(1), ended(1, 'empty')],
    [
      {
        ...plain,
        error: { ...none, message: 'the provider answered with nothing', code: 'no-answer', at: 2 },
      },
    ],
  ],
  [
    'a spent budget has its own field',
    [begun(1), spent],
    [
      {
        ...plain,
        overBudget: { because: 'spent', message: 'The call budget of this run is spent' },
      },
    ],
  ],
  [
    'an unknown price names its model',
    [begun(1), { ...spent, because: 'price-unknown', message: 'no price' }],
    [
      {
        ...plain,
        overBudget: { because: 'price-unknown', message: 'no price', model: spent.call.model },
      },
    ],
  ],
];
for (const [why, facts, calls] of cases)
  test(why, () => {
    const seen = facts.reduce<ObservedCalls>(foldCalls, new Map());
    assert.deepEqual([...seen.values()], calls);
  });

test('the last call of the work is remembered, however many subagents call after it', () => {
  const sub = (number: number): GatewayFact => ({
    kind: 'call-begun',
    at: at(1),
    call: { ...about(number), kind: 'sub' },
    requestBytes: 1,
  });
  const facts = [begun(1), ...Array.from({ length: 200 }, (_, index) => sub(index + 2))];
  const seen = facts.reduce<ObservedCalls>(foldCalls, new Map());
  assert.deepEqual([seen.size, seen.get(1)?.kind], [51, 'main']);
});

test('only the latest calls are remembered', () => {
  const facts = Array.from({ length: 200 }, (_, index) => begun(index + 1));
  const seen = facts.reduce<ObservedCalls>(foldCalls, new Map());
  assert.deepEqual([seen.size, [...seen.keys()].at(-1)], [50, 200]);
});

const refusedTool = (number: number): GatewayFact => ({
  kind: 'request-refused',
  at: at(2),
  call: about(number),
  code: 'server_tool_refused',
  message: 'web_search is not allowed',
});

const given: [why: string, facts: readonly GatewayFact[], isGivenUp: boolean][] = [
  [
    'three searches by the provider that the gateway refused are tools that failed',
    [ended(1, 'answered', 'tools'), refusedTool(2), refusedTool(3), refusedTool(4)],
    false,
  ],
  [
    'three calls in a row that failed',
    [1, 2, 3].map((number) => ended(number, 'incomplete')),
    true,
  ],
  [
    'answers that were too long do not count: the agent continues',
    [1, 2, 3].map((number) => ended(number, 'answered', 'length')),
    false,
  ],
  ['two are not enough', [1, 2].map((number) => ended(number, 'incomplete')), false],
  [
    'an answered call resets the count',
    [
      begun(1),
      ended(2, 'incomplete'),
      ended(3, 'incomplete'),
      begun(4),
      ended(4, 'answered'),
      ended(5, 'incomplete'),
    ],
    false,
  ],
  [
    'an open call does not count yet',
    [...[1, 2, 3].map((number) => ended(number, 'incomplete')), begun(4)],
    false,
  ],
];
for (const [why, facts, expected] of given)
  test(`given up: ${why}`, () =>
    assert.equal(isGivenUp(facts.reduce(foldCalls, new Map() as ObservedCalls)), expected));
