import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, failed, driveAttempts, settingsFor } from '../../test/support/drive-attempts.ts';
import { drivenTable } from '../../test/support/driven-table.ts';

const HOUR = 3_600_000;
const two = settingsFor(['a', 'b']);
const three = settingsFor(['a', 'b', 'c']);
const retrying = settingsFor(['a', 'b'], { preset: 'retry-then-fallback' });
const crash = failed('crashed');

drivenTable('fallback-first', [
  ['completed work ends the run', { settings: two, attempts: [done] }, ['a', 'unverified: done']],
  [
    'a crash: the next agent, at once',
    { settings: two, attempts: [failed('crashed'), done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
  [
    'each identity tries once, then the run is exhausted and lists the attempts',
    { settings: two, attempts: [failed('crashed'), failed('network')] },
    [
      'a',
      'b at 1 s',
      'exhausted: no agent is left: tried a: crashed (crashed), b: network (network)',
    ],
  ],
  [
    'if the only agent fails, the run fails with its message',
    { attempts: [failed('crashed')] },
    ['a', 'failed: a: crashed'],
  ],
  [
    'if the only agent could not even start, the run is refused, as by a preflight',
    { attempts: [failed('start_refused')] },
    ['a', 'refused: a: start_refused'],
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
    'a CLI that is missing concerns the identity: the next one',
    { settings: two, attempts: [failed('agent_missing'), done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
  [
    'a blocked attempt concerns the run: no other agent tries',
    { settings: two, attempts: [failed('blocked')] },
    ['a', 'blocked: a: blocked'],
  ],
  [
    'a prompt that no provider accepts concerns the run',
    { settings: two, attempts: [failed('bad_prompt')] },
    ['a', 'failed: a: bad_prompt'],
  ],
  [
    'a folder that no agent can access concerns the run',
    { settings: two, attempts: [failed('workspace_denied')] },
    ['a', 'failed: a: workspace_denied'],
  ],
  [
    'a request that the provider refuses comes from the CLI: the next one',
    { settings: two, attempts: [failed('bad_usage'), done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
  [
    'the next agent follows when memory runs out',
    { settings: two, attempts: [failed('oom'), done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
  [
    'the settings of a run can give each agent retries, with the waits of the table',
    {
      settings: settingsFor(['a', 'b'], { retriesPerAgent: 1 }),
      attempts: [failed('crashed'), failed('crashed'), done],
    },
    ['a', 'waits until 6 s', 'a at 6 s', 'b at 7 s', 'unverified: done'],
  ],
]);

drivenTable('the user', [
  [
    'stops the run while an agent works: the agent is asked to end, and no agent follows',
    { settings: two, attempts: [], says: { 'attempt-1': 'stop' } },
    ['a', 'asks attempt-1', 'cancelled: stopped by the user during attempt 1'],
  ],
  [
    'stops the run while work that no gate has checked is stored',
    { attempts: [done], says: { 'finalize-1': 'stop' } },
    ['a', 'cancelled: stopped by the user during attempt 1'],
  ],
  [
    'stops the run while it waits for a retry',
    { settings: retrying, attempts: [crash], says: { 'wait-1': 'stop' } },
    ['a', 'waits until 6 s', 'asks wait-1', 'cancelled: stopped by the user during attempt 1'],
  ],
  [
    'kills the run while it waits for a limit',
    { attempts: [failed('rate_limited', { resetMs: HOUR })], says: { 'wait-1': 'kill' } },
    [
      ...['a', 'cools a until 3600 s', 'waits until 3600 s', 'kills wait-1'],
      'killed: stopped by the user during attempt 1',
    ],
  ],
  [
    'wants the next agent: the current agent is asked to end, and the next one continues',
    { settings: two, attempts: [done, done], says: { 'attempt-1': 'next' } },
    ['a', 'asks attempt-1', 'b', 'unverified: done'],
  ],
  [
    'wants the next agent instead of a retry',
    { settings: retrying, attempts: [crash, done], says: { 'wait-1': 'next' } },
    ['a', 'waits until 6 s', 'asks wait-1', 'b at 1 s', 'unverified: done'],
  ],
  [
    'wants the next agent, but there is none: the current agent stays',
    { attempts: [done], says: { 'attempt-1': 'next' } },
    ['a', 'unverified: done'],
  ],
  [
    'wants the next agent while all agents are cooling down: the run waits for the next one',
    {
      settings: two,
      attempts: [failed('rate_limited', { resetMs: HOUR }), done],
      cooling: { 'b::::::': 2 * HOUR },
      says: { 'wait-1': 'next' },
    },
    [
      ...['a', 'cools a until 3600 s', 'waits until 3600 s', 'asks wait-1'],
      ...['waits until 7200 s', 'b at 7200 s', 'unverified: done'],
    ],
  ],
  [
    'sends next twice while both agents are cooling down: the second one changes nothing',
    {
      settings: two,
      attempts: [failed('rate_limited', { resetMs: HOUR }), done],
      cooling: { 'b::::::': 2 * HOUR },
      says: { 'wait-1': 'next', 'wait-2': 'next' },
    },
    [
      ...['a', 'cools a until 3600 s', 'waits until 3600 s', 'asks wait-1'],
      ...['waits until 7200 s', 'b at 7200 s', 'unverified: done'],
    ],
  ],
  [
    'skips an agent: it is not used again',
    { settings: three, attempts: [crash, crash], says: { 'attempt-1': 'next' } },
    [
      ...['a', 'asks attempt-1', 'b', 'c at 1 s'],
      'exhausted: no agent is left: tried a: stopped, b: crashed (crashed), c: crashed (crashed)',
    ],
  ],
]);

const long = failed('output_limit', { session: 's1' });
const asking = failed('needs_input', { session: 's1' });

drivenTable('an agent that asks', [
  [
    'is notified once, in its own conversation, that no person is available',
    { settings: two, attempts: [asking, done] },
    ['a', 'a at 1 s in s1', 'unverified: done'],
  ],
  [
    'asks a person the second time, and gets the answer in that conversation',
    { settings: two, attempts: [asking, asking, done], answers: ['blue'] },
    ['a', 'a at 1 s in s1', 'asks: a asks: needs_input', 'a at 2 s in s1', 'unverified: done'],
  ],
  [
    "starts a new conversation if the old one can't be resumed, which uses up no retry",
    { settings: two, attempts: [asking, failed('bad_usage'), done] },
    ['a', 'a at 1 s in s1', 'a at 2 s', 'unverified: done'],
  ],
  [
    'D7: starts a new conversation once if the provider refuses the old one as a request',
    {
      settings: two,
      attempts: [
        asking,
        failed('bad_usage', { session: 's1' }),
        failed('bad_usage', { session: 's2' }),
        done,
      ],
    },
    ['a', 'a at 1 s in s1', 'a at 2 s', 'b at 3 s', 'unverified: done'],
  ],
]);

drivenTable('a conversation that is not there', [
  [
    'is no attempt: one of two is left',
    {
      settings: settingsFor(['a'], { attemptsMax: 2 }),
      attempts: [asking, failed('bad_usage'), done],
    },
    ['a', 'a at 1 s in s1', 'a at 2 s', 'unverified: done'],
  ],
  [
    'differs from a crash, which is an attempt',
    {
      settings: settingsFor(['a'], { attemptsMax: 2 }),
      attempts: [asking, failed('crashed'), done],
    },
    ['a', 'a at 1 s in s1', 'exhausted: all 2 attempts are used up; the last: crashed'],
  ],
]);

test('a new conversation still gets the answer that the old one did not receive', () => {
  const { inputs } = driveAttempts({
    settings: two,
    attempts: [asking, asking, failed('bad_usage'), done],
    answers: ['blue'],
  });
  assert.deepEqual(
    inputs.map(({ why, resume }) => [why.kind, resume]),
    [
      ['first', null],
      ['unattended', 's1'],
      ['answered', 's1'],
      ['new-session', null],
    ],
  );
  assert.match(inputs.at(-1)?.prompt ?? '', /^blue$/m);
});

const ASKS_PRICE =
  'asks: price_unknown. No budget is spent. Set the price with: supervisor prices set MODEL --input USD --output USD, then answer retry. Or answer cap with --budget-tokens N to limit tokens instead, continue to work without counting the cost, or stop.';

drivenTable('an unknown price', [
  ...['retry', 'cap', 'continue'].map((answer): Parameters<typeof drivenTable>[1][number] => [
    `${answer}: the same agent in the same conversation`,
    {
      settings: two,
      attempts: [failed('price_unknown', { session: 's1' }), done],
      answers: [answer],
    },
    ['a', ASKS_PRICE, 'a at 1 s in s1', 'unverified: done'],
  ]),
  [
    'is asked again as long as it is unknown',
    {
      settings: two,
      attempts: [failed('price_unknown'), failed('price_unknown')],
      answers: ['retry'],
    },
    ['a', ASKS_PRICE, 'a at 1 s', ASKS_PRICE],
  ],
  [
    'stop: the run ends, and no budget is called spent',
    { settings: two, attempts: [failed('price_unknown')], answers: ['stop'] },
    ['a', ASKS_PRICE, 'cancelled: stopped because a price is unknown: price_unknown'],
  ],
]);

drivenTable('a spent budget', [
  [
    'is not raised by an answer that belongs to an unknown price',
    { settings: two, attempts: [failed('budget')], answers: ['retry'] },
    [...['a', 'asks: budget. Answer continue or stop.'], 'asks: budget. Answer continue or stop.'],
  ],
  [
    'asks a person, and no other agent continues',
    { settings: two, attempts: [failed('budget')] },
    ['a', 'asks: budget. Answer continue or stop.'],
  ],
  [
    'continue: the same agent in the same conversation',
    { settings: two, attempts: [failed('budget', { session: 's1' }), done], answers: ['continue'] },
    ['a', 'asks: budget. Answer continue or stop.', 'a at 1 s in s1', 'unverified: done'],
  ],
  [
    'stop: the run ends',
    { settings: two, attempts: [failed('budget')], answers: ['Stop'] },
    [
      ...['a', 'asks: budget. Answer continue or stop.'],
      'cancelled: stopped when the budget was spent: budget',
    ],
  ],
  [
    'is not answered by skipping the agent',
    { settings: two, attempts: [failed('budget')], says: { 'ask-1': 'next' } },
    ['a', 'asks: budget. Answer continue or stop.'],
  ],
  [
    'continue after the agent was skipped: the next agent continues',
    {
      settings: two,
      attempts: [failed('budget'), done],
      says: { 'ask-1': 'next' },
      answers: ['continue'],
    },
    ['a', 'asks: budget. Answer continue or stop.', 'b at 1 s', 'unverified: done'],
  ],
  [
    'any other answer: the question is asked again',
    { settings: two, attempts: [failed('budget')], answers: ['maybe'] },
    [...['a', 'asks: budget. Answer continue or stop.'], 'asks: budget. Answer continue or stop.'],
  ],
]);

drivenTable('D4: an answer that was cut for its length', [
  [
    'continues twice in the same conversation, then the next agent takes over',
    {
      settings: two,
      attempts: [long, long, long, done],
    },
    ['a', 'a at 1 s in s1', 'a at 2 s in s1', 'b at 3 s', 'unverified: done'],
  ],
  [
    'goes to the next agent if there is no conversation to continue',
    { settings: two, attempts: [failed('output_limit'), done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
  [
    'goes to the next agent at once if the provider withheld the answer',
    { settings: two, attempts: [failed('content_filtered', { session: 's1' }), done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
]);

drivenTable('--once', [
  [
    'one attempt and no recovery after a crash',
    { settings: { ...two, once: true }, attempts: [crash] },
    ['a', 'failed: a: crashed'],
  ],
  [
    'one attempt and no recovery after a question',
    { settings: { ...two, once: true }, attempts: [asking] },
    ['a', 'failed: a: needs_input'],
  ],
  [
    'one attempt and no recovery after an interruption',
    { settings: { ...two, once: true }, attempts: ['interrupted'] },
    ['a', 'exhausted: the attempt was interrupted 1 time because the owner ended'],
  ],
]);
