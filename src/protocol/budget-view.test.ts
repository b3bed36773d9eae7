import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BudgetView } from './budget-view.ts';
import { foldBudget, NO_BUDGET_SPENT } from './budget-view.ts';
import type { NewEvent } from './event.ts';
import { EVENT_VERSION, runStream } from './event.ts';

function noted(note: Record<string, unknown>): NewEvent {
  return { type: 'command.noted', payload: { key: 'attempt-1', note } };
}

function answered(answer: string, budgetUsd?: number): NewEvent {
  const more = budgetUsd === undefined ? {} : { budgetUsd };
  return {
    type: 'signal.received',
    payload: { signal: { kind: 'answer', key: 'q', answer, ...more } },
  };
}

function view(...events: readonly NewEvent[]): BudgetView {
  const head = { id: 1, stream: runStream('0123456789'), seq: 1, v: EVENT_VERSION };
  return events.reduce(
    (before, event, place) => foldBudget(before, { ...head, at: place * 10, ...event }),
    NO_BUDGET_SPENT,
  );
}

const over = { scope: 'run', limit: 'usd', because: 'spent', cap: 5 } as const;
const spent = noted({ kind: 'spent', tokens: 10, usd: 0.5, calls: 1 });
const stopped = noted({ kind: 'over-budget', ...over });
const none = NO_BUDGET_SPENT.raised.run;

describe('the budget of a run', () => {
  const cases: [why: string, events: NewEvent[], expected: Partial<BudgetView>][] = [
    ['is untouched at first', [], {}],
    ['adds up, call by call', [spent, spent], { spent: { tokens: 20, usd: 1, calls: 2 } }],
    ['is over when a gateway says so', [stopped], { over: { ...over, since: 0 } }],
    [
      'is raised by as much again when the answer is to go on',
      [stopped, answered('continue'), stopped, answered('continue')],
      { raised: { ...NO_BUDGET_SPENT.raised, run: { ...none, usd: 10 } } },
    ],
    [
      'is raised by the sum that was named',
      [stopped, answered('continue', 1.5)],
      { raised: { ...NO_BUDGET_SPENT.raised, run: { ...none, usd: 1.5 } } },
    ],
    [
      'is raised where it was spent: for the project, in tokens',
      [
        noted({ kind: 'over-budget', scope: 'project', limit: 'tokens', because: 'spent', cap: 9 }),
        answered('continue'),
      ],
      { raised: { ...NO_BUDGET_SPENT.raised, project: { ...none, tokens: 9 } } },
    ],
    [
      'in time is raised by what went by until the answer as well',
      [
        noted({ kind: 'over-budget', ...over, limit: 'wall', cap: 1000 }),
        spent,
        answered('continue'),
      ],
      {
        spent: { tokens: 10, usd: 0.5, calls: 1 },
        raised: { ...NO_BUDGET_SPENT.raised, run: { ...none, wall: 1020 } },
      },
    ],
    [
      'lets models without a price in when a person knows of it',
      [noted({ kind: 'over-budget', ...over, because: 'price-unknown' }), answered('continue')],
      { unpriced: true },
    ],
    [
      'stays over when the answer is another',
      [stopped, answered('stop')],
      { over: { ...over, since: 0 } },
    ],
    ['is not raised by an answer to something else', [answered('continue', 3)], {}],
    ['does not trust a note that is none', [noted({ kind: 'spent', tokens: -1 })], {}],
  ];
  for (const [why, events, expected] of cases)
    test(why, () => assert.deepEqual(view(...events), { ...NO_BUDGET_SPENT, ...expected }));
});
