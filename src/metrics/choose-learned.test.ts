import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LearnedChoice } from '../protocol/learned-choice.ts';
import type { ChoiceQuestion } from './choose-learned.ts';
import { chooseLearned } from './choose-learned.ts';
import type { EndedAttempt } from './ended-attempt.ts';

const DAY = 86_400_000;
const NOW = 100 * DAY;
const RECORD: EndedAttempt = {
  ...{ run: 'a', endedAt: NOW - DAY, role: null, cli: 'claude', agent: 'main', model: null },
  ...{ task: 'task', workflow: null, step: null, end: 'completed', reason: null, category: null },
  ...{
    verdict: 'green',
    isRetry: false,
    leftDefault: false,
    durationMs: 1,
    modelMs: null,
    throttledMs: 0,
  },
  ...{ queuedMs: 0, tokens: 1, costUsd: 1 },
};

/** So many attempts of an agent, the first `good` of them with green gates. */
function did(
  agent: string,
  good: number,
  count: number,
  more: Partial<EndedAttempt> = {},
): EndedAttempt[] {
  return Array.from({ length: count }, (_, nth) => ({
    ...{ ...RECORD, agent, verdict: nth < good ? ('green' as const) : ('red' as const) },
    ...more,
  }));
}

const RULES = { samplesMin: 10, days: 30, deviationMax: 0.2 };
const ON: ChoiceQuestion = {
  ...{ setting: 'on', agents: ['main', 'second'], role: null, task: 'task', now: NOW, random: 0.9 },
  rules: RULES,
};

const TABLE: readonly [
  why: string,
  records: readonly EndedAttempt[],
  question: Partial<ChoiceQuestion>,
  expected: readonly [LearnedChoice['kind'], agent: string] | undefined,
][] = [
  ['nothing is known', [], {}, undefined],
  [
    'the other agent is clearly better',
    [...did('main', 10, 20), ...did('second', 20, 20)],
    {},
    ['learned', 'second'],
  ],
  [
    'it is only a suggestion unless the setting is on',
    [...did('main', 10, 20), ...did('second', 20, 20)],
    { setting: 'suggest' },
    ['suggested', 'second'],
  ],
  ['the default is as good', [...did('main', 20, 20), ...did('second', 20, 20)], {}, undefined],
  [
    'nine attempts of the other agent are too few',
    [...did('main', 0, 20), ...did('second', 9, 9)],
    {},
    undefined,
  ],
  [
    'nine attempts of the default are too few',
    [...did('main', 0, 9), ...did('second', 20, 20)],
    {},
    undefined,
  ],
  [
    'a gain under 5 % is none',
    [...did('main', 98, 100), ...did('second', 100, 100)],
    {},
    undefined,
  ],
  [
    'a cheaper agent that is as good wins',
    [...did('main', 20, 20, { costUsd: 4 }), ...did('second', 20, 20, { costUsd: 1 })],
    {},
    ['learned', 'second'],
  ],
  [
    'a cheap agent that fails does not win',
    [...did('main', 20, 20, { costUsd: 4 }), ...did('second', 8, 20, { costUsd: 1 })],
    {},
    undefined,
  ],
  [
    'an unknown cost leaves success alone',
    [...did('main', 20, 20, { costUsd: 4 }), ...did('second', 20, 20, { costUsd: null })],
    {},
    undefined,
  ],
  [
    'attempts of 31 days ago do not count',
    [...did('main', 10, 20), ...did('second', 20, 20, { endedAt: NOW - 31 * DAY })],
    {},
    undefined,
  ],
  [
    'attempts with another role do not count',
    [...did('main', 10, 20), ...did('second', 20, 20, { role: 'tester' })],
    {},
    undefined,
  ],
  [
    'attempts with another kind of answer do not count',
    [...did('main', 10, 20), ...did('second', 20, 20, { task: 'plan' })],
    {},
    undefined,
  ],
  [
    'attempts that a person stopped do not count',
    [...did('main', 10, 20), ...did('second', 20, 20, { end: 'stopped', verdict: null })],
    {},
    undefined,
  ],
  [
    'without a gate, what the agent completed counts',
    [
      ...did('main', 0, 20, { verdict: null, end: 'failed' }),
      ...did('second', 0, 20, { verdict: null }),
    ],
    {},
    ['learned', 'second'],
  ],
  [
    'a fifth of the runs left the default already',
    [...did('main', 0, 20), ...did('second', 20, 20, { leftDefault: true })],
    {},
    ['kept', 'second'],
  ],
  [
    'runs that a person began with the other agent, or that had it as the default, left nothing',
    [...did('main', 0, 20), ...did('second', 60, 60)],
    {},
    ['learned', 'second'],
  ],
  [
    'with a larger share more runs may leave the default',
    [...did('main', 0, 20), ...did('second', 20, 20, { leftDefault: true })],
    { rules: { ...RULES, deviationMax: 0.6 } },
    ['learned', 'second'],
  ],
  [
    'nine attempts are enough where the settings say so',
    [...did('main', 0, 9), ...did('second', 9, 9)],
    { rules: { ...RULES, samplesMin: 9 } },
    ['learned', 'second'],
  ],
  [
    'attempts of 31 days ago count where the settings say so',
    [...did('main', 10, 20), ...did('second', 20, 20, { endedAt: NOW - 31 * DAY })],
    { rules: { ...RULES, days: 60 } },
    ['learned', 'second'],
  ],
  [
    'a run explores an agent of which too little is known',
    did('main', 20, 20),
    { random: 0.01 },
    ['explored', 'second'],
  ],
  [
    'a suggestion explores nothing',
    did('main', 20, 20),
    { random: 0.01, setting: 'suggest' },
    undefined,
  ],
  [
    'a known agent is not explored',
    [...did('main', 20, 20), ...did('second', 0, 20)],
    { random: 0.01 },
    undefined,
  ],
  [
    'exploring stops at the same share',
    [...did('main', 5, 5), ...did('second', 5, 5, { leftDefault: true })],
    { random: 0.01 },
    undefined,
  ],
  [
    'there is no choice with one agent',
    did('main', 0, 20),
    { agents: ['main'], random: 0 },
    undefined,
  ],
];

describe('the learned choice of an agent', () => {
  for (const [why, records, question, expected] of TABLE)
    test(why, () => {
      const choice = chooseLearned(records, { ...ON, ...question });
      assert.deepEqual(choice && [choice.kind, choice.agent], expected);
      if (choice !== undefined) assert.equal(choice.instead, 'main');
    });

  test('says what it is based on', () => {
    const records = [...did('main', 10, 20), ...did('second', 19, 20, { costUsd: 0.5 })];
    assert.equal(
      chooseLearned(records, ON)?.why,
      'second did 19 of 20 such attempts well for $0.50 each, and main did 10 of 20 such attempts well for $1.00 each',
    );
  });
});
