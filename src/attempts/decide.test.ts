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
    'so does a prompt that no provider takes',
    { settings: two, attempts: [failed('bad_prompt')] },
    ['a', 'failed: a: bad_prompt'],
  ],
  [
    'so does a folder that is closed to every agent',
    { settings: two, attempts: [failed('workspace_denied')] },
    ['a', 'failed: a: workspace_denied'],
  ],
  [
    'a request that the provider refuses is worded by the CLI: the next one',
    { settings: two, attempts: [failed('bad_usage'), done] },
    ['a', 'b at 1 s', 'unverified: done'],
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

drivenTable('the user', [
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
    'wants the next agent while it rests, and the next one rests too: it waits for that one',
    {
      settings: two,
      attempts: [failed('rate_limited', { resetMs: HOUR }), done],
      cooling: { 'b::::::': 2 * HOUR },
      says: { 'cooling-1': 'next' },
    },
    [
      ...['a', 'cools a until 3600 s', 'waits until 3600 s', 'asks cooling-1'],
      ...['waits until 7200 s', 'b at 7200 s', 'unverified: done'],
    ],
  ],
  [
    'says next twice while both rest: the second changes nothing',
    {
      settings: two,
      attempts: [failed('rate_limited', { resetMs: HOUR }), done],
      cooling: { 'b::::::': 2 * HOUR },
      says: { 'cooling-1': 'next', 'cooling-2': 'next' },
    },
    [
      ...['a', 'cools a until 3600 s', 'waits until 3600 s', 'asks cooling-1'],
      ...['waits until 7200 s', 'b at 7200 s', 'unverified: done'],
    ],
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

const long = failed('output_limit', { session: 's1' });
const asking = failed('needs_input', { session: 's1' });

drivenTable('an agent that asks', [
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
  [
    'D7: one that the provider refuses as a request is begun afresh too, and not twice',
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

test('what is begun afresh is still told what it was to hear', () => {
  const { inputs } = driveAttempts({
    settings: two,
    attempts: [asking, asking, failed('bad_usage'), done],
    answers: ['blue'],
  });
  assert.deepEqual(
    inputs.map(({ why, resume }) => [why.kind, resume]),
    [
      ['first', null],
      ['nobody', 's1'],
      ['answered', 's1'],
      ['afresh', null],
    ],
  );
  assert.match(inputs.at(-1)?.prompt ?? '', /^blue$/m);
});

drivenTable('a spent budget', [
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
    'continue after the agent was passed over: the next agent goes on',
    {
      settings: two,
      attempts: [failed('budget'), done],
      says: { 'ask-1': 'next' },
      answers: ['continue'],
    },
    ['a', 'asks: budget. Answer continue or stop.', 'b at 1 s', 'unverified: done'],
  ],
  [
    'anything else is asked again',
    { settings: two, attempts: [failed('budget')], answers: ['maybe'] },
    [...['a', 'asks: budget. Answer continue or stop.'], 'asks: budget. Answer continue or stop.'],
  ],
]);

drivenTable('D4: an answer that was cut for its length', [
  [
    'goes on twice in the same conversation, then the next agent has its turn',
    {
      settings: two,
      attempts: [long, long, long, done],
    },
    ['a', 'a at 1 s in s1', 'a at 2 s in s1', 'b at 3 s', 'unverified: done'],
  ],
  [
    'goes to the next agent when there is no conversation to go on with',
    { settings: two, attempts: [failed('output_limit'), done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
  [
    'and one that was withheld goes to the next agent at once',
    { settings: two, attempts: [failed('content_filtered', { session: 's1' }), done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
]);

drivenTable('--once', [
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
