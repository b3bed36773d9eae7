import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defined } from '../../base/defined.ts';
import type { BudgetView } from './budget-view.ts';
import { ownSpending } from './own-spending.ts';
import { foldBudget, continuesFrom, NO_BUDGET_SPENT, usualRaise } from './budget-view.ts';
import { BUDGET_CHOICES } from './money-question.ts';
import type { NewRunEvent } from '../event.ts';
import { EVENT_VERSION } from '../event.ts';
import { runStream } from '../streams.ts';
import { runEvent } from '../../../test/support/run-event.ts';

function noted(note: Record<string, unknown>): NewRunEvent {
  return runEvent({ type: 'command.noted', payload: { key: 'attempt-1', note } });
}

function answerTo(key: string, answer: string, more: object = {}): NewRunEvent {
  return { type: 'signal.received', payload: { signal: { kind: 'answer', key, answer, ...more } } };
}

function asked(key: string, input: object): NewRunEvent {
  return runEvent({ type: 'command.begun', payload: { key, command: 'ask', input } });
}

/** The run asks about its budget, and gets this answer. */
function answered(answer: string, budgetUsd?: number, budgetTokens?: number): NewRunEvent[] {
  const question = asked('ask-1', { question: '?', choices: BUDGET_CHOICES['price-unknown'] });
  return [question, answerTo('ask-1', answer, defined({ budgetUsd, budgetTokens }))];
}

function ended(key: string): NewRunEvent {
  return runEvent({ type: 'command.ended', payload: { key, end: { kind: 'interrupted' } } });
}

function view(...events: readonly NewRunEvent[]): BudgetView {
  const head = { id: 1, stream: runStream('0123456789'), seq: 1, v: EVENT_VERSION };
  return events.reduce(
    (before, event, place) => foldBudget(before, { ...head, at: place * 10, ...event }),
    NO_BUDGET_SPENT,
  );
}

const over = { scope: 'run', limit: 'usd', because: 'spent', cap: 5 } as const;
const spent = noted({ kind: 'spent', tokens: 10, usd: 0.5, calls: 1 });
const reserved = noted({ kind: 'reserved', call: 1, tokens: 90, usd: 2 });
const another = noted({ kind: 'reserved', call: 2, tokens: 50, usd: 1 });
const settled = noted({ kind: 'spent', tokens: 10, usd: 0.5, calls: 1, settled: [1] });
const held = { key: 'attempt-1', call: 1, tokens: 90, usd: 2 };
const stopped = noted({ kind: 'over-budget', ...over });
const unknownPrice = noted({
  kind: 'over-budget',
  ...over,
  because: 'price-unknown',
  model: 'house',
});
const unpricedOver = { ...over, because: 'price-unknown', model: 'house', since: 0 } as const;
const none = NO_BUDGET_SPENT.raised.run;

describe('the budget of a run', () => {
  const cases: [why: string, events: NewRunEvent[], expected: Partial<BudgetView>][] = [
    ['is untouched at first', [], {}],
    ['adds up, call by call', [spent, spent], { spent: { tokens: 20, usd: 1, calls: 2 } }],
    ['reserves the maximum cost of a call while it is open', [reserved], { held: [held] }],
    [
      'releases the reservation when the real cost of the call is known',
      [reserved, another, settled],
      {
        held: [{ key: 'attempt-1', call: 2, tokens: 50, usd: 1 }],
        spent: { tokens: 10, usd: 0.5, calls: 1 },
      },
    ],
    [
      'counts an open call with its maximum cost when its attempt ends, and marks that as assumed',
      [reserved, another, settled, ended('attempt-1')],
      {
        spent: { tokens: 60, usd: 1.5, calls: 2 },
        assumed: { tokens: 50, usd: 1, calls: 1 },
      },
    ],
    ['keeps the reservation when another command ends', [reserved, ended('x')], { held: [held] }],
    ['is over when the gateway reports it', [stopped], { over: { ...over, since: 0 } }],
    [
      'is raised by the configured cap when the answer is to continue',
      [stopped, ...answered('continue'), stopped, ...answered('continue')],
      { raised: { ...NO_BUDGET_SPENT.raised, run: { ...none, usd: 10 } } },
    ],
    [
      'is raised by the sum that was named',
      [stopped, ...answered('continue', 1.5)],
      { raised: { ...NO_BUDGET_SPENT.raised, run: { ...none, usd: 1.5 } } },
    ],
    [
      'is raised where it was spent: for the project, in tokens',
      [
        noted({ kind: 'over-budget', scope: 'project', limit: 'tokens', because: 'spent', cap: 9 }),
        ...answered('continue'),
      ],
      { raised: { ...NO_BUDGET_SPENT.raised, project: { ...none, tokens: 9 } } },
    ],
    [
      'in tokens is raised by the number that was named',
      [
        noted({ kind: 'over-budget', ...over, limit: 'tokens', cap: 9 }),
        ...answered('continue', undefined, 500),
      ],
      { raised: { ...NO_BUDGET_SPENT.raised, run: { ...none, tokens: 500 } } },
    ],
    [
      'in time is also raised by the time until the answer',
      [
        noted({ kind: 'over-budget', ...over, limit: 'wall', cap: 1000 }),
        spent,
        ...answered('continue'),
      ],
      {
        spent: { tokens: 10, usd: 0.5, calls: 1 },
        raised: { ...NO_BUDGET_SPENT.raised, run: { ...none, wall: 1030 } },
      },
    ],
    [
      'allows models without a price when a person agrees',
      [noted({ kind: 'over-budget', ...over, because: 'price-unknown' }), ...answered('continue')],
      { unpriced: true },
    ],
    [
      'is not raised by the answer retry, which only tries the new price',
      [unknownPrice, ...answered('retry')],
      {},
    ],
    [
      'counts tokens instead of money after the answer cap',
      [unknownPrice, ...answered('cap', undefined, 5000)],
      { unpriced: true, tokensCap: 5000 },
    ],
    [
      'stays over when the answer about a price is to stop',
      [unknownPrice, ...answered('stop')],
      { over: { ...unpricedOver, question: 'ask-1' } },
    ],
    [
      'stays over after the answer cap without a number of tokens',
      [unknownPrice, ...answered('cap')],
      { over: { ...unpricedOver, question: 'ask-1' } },
    ],
    ...(['continue', 'cap', 'retry'] as const).map(
      (answer): [string, NewRunEvent[], Partial<BudgetView>] => [
        `stays over after the answer ${answer} to another question of the run`,
        [
          unknownPrice,
          answerTo('issue-1', answer, { budgetTokens: 5 }),
          asked('issue-1', { question: '?', choices: BUDGET_CHOICES.spent, issue: 1 }),
          asked('ask-1', { question: '?', choices: ['continue', 'dismiss'] }),
          answerTo('ask-1', answer, { budgetTokens: 5 }),
          asked('ask-2', { question: '?', choices: BUDGET_CHOICES['price-unknown'] }),
          answerTo('issue-1', answer, { budgetTokens: 5 }),
        ],
        { over: { ...unpricedOver, question: 'ask-2' } },
      ],
    ),
    [
      'counts the calls without a price, also one that was open when its owner died',
      [
        noted({ kind: 'spent', tokens: 10, usd: 0, calls: 1, settled: [], unpriced: 1 }),
        noted({ kind: 'reserved', call: 9, tokens: 50, usd: 0, unpriced: true }),
        ended('attempt-1'),
      ],
      {
        spent: { tokens: 60, usd: 0, calls: 2 },
        assumed: { tokens: 50, usd: 0, calls: 1 },
        unpricedCalls: 2,
      },
    ],
    [
      'stays over when the answer is not to continue',
      [stopped, ...answered('stop')],
      { over: { ...over, since: 0, question: 'ask-1' } },
    ],
    ['is not raised by an answer to something else', [...answered('continue', 3)], {}],
    ['does not count a note about something else', [noted({ kind: 'session', tokens: 1 })], {}],
  ];
  for (const [why, events, expected] of cases)
    test(why, () => assert.deepEqual(view(...events), { ...NO_BUDGET_SPENT, ...expected }));
});

describe('the budget of a run that continues another', () => {
  const run = (budget: BudgetView, endedAt: number | null = 400) =>
    continuesFrom({ endedAt, budget: { ...budget, time: { startedAt: 100, waitedMs: 0 } } }, 1000);

  test('begins with the cost of the other run, and counts it separately', () => {
    const before = { tokens: 10, usd: 0.5, calls: 1, wallMs: 300 };
    const { wallMs: _, ...sum } = before;
    assert.deepEqual(run(view(spent)), { ...NO_BUDGET_SPENT, spent: sum, before });
  });

  test('counts open calls of the other run as spent, and its time until it ended or asked', () => {
    assert.deepEqual(run(view(reserved), null), {
      ...NO_BUDGET_SPENT,
      spent: { tokens: 90, usd: 2, calls: 1 },
      before: { tokens: 90, usd: 2, calls: 1, wallMs: 900 },
    });
    const asking = view(stopped);
    const asked150 = { ...over, since: 150, question: 'ask-1' };
    const { before, over: stillOver } = run({ ...asking, over: asked150 });
    assert.deepEqual([before.wallMs, stillOver], [50, { ...over, since: 1000 }]);
  });

  test('counts what other runs that continue the same run have spent, once each', () => {
    const first = run(view(spent));
    const other = { ...first, spent: { tokens: 40, usd: 2, calls: 4 } };
    const time = { startedAt: 500, waitedMs: 20 };
    const others = [{ endedAt: 600, budget: { ...other, time } }];
    const again = continuesFrom({ endedAt: 400, budget: view(spent) }, 1000, others);
    const sum = { tokens: 40, usd: 2, calls: 4 };
    assert.deepEqual(again, { ...NO_BUDGET_SPENT, spent: sum, before: { ...sum, wallMs: 80 } });
  });

  test('keeps raises of the run, and leaves raises of the project to the other run', () => {
    const project = noted({ kind: 'over-budget', ...over, scope: 'project' });
    const { raised } = run(view(stopped, ...answered('yes', 3), project, ...answered('yes', 4)));
    assert.deepEqual(raised, { ...NO_BUDGET_SPENT.raised, run: { ...none, usd: 3 } });
  });

  test('what the run itself has spent is the rest', () => {
    const before = { tokens: 10, usd: 0.5, calls: 1, wallMs: 300, unpricedCalls: 1 };
    const budget = { spent: { tokens: 15, usd: 0.75, calls: 3 }, before, unpricedCalls: 2 };
    assert.deepEqual(ownSpending(budget), { tokens: 5, usd: 0.25, calls: 2, unpricedCalls: 1 });
    const unpriced = { ...view(spent), unpricedCalls: 1 };
    assert.deepEqual(ownSpending(run(unpriced)), {
      ...{ tokens: 0, usd: 0, calls: 0 },
      unpricedCalls: 0,
    });
  });

  test('adds up over generations', () => {
    const child = run(view(spent));
    assert.deepEqual(run(child).before, { tokens: 10, usd: 0.5, calls: 1, wallMs: 600 });
  });
});

test('a budget is raised by what the refused call may cost, if that is more than the cap', () => {
  assert.equal(usualRaise({ limit: 'usd', cap: 5, needs: 1.2 }), 5);
  assert.equal(usualRaise({ limit: 'usd', cap: 0.05, needs: 1.2041 }), 1.21);
  assert.equal(usualRaise({ limit: 'tokens', cap: 1000, needs: 18_000 }), 18_000);
  assert.equal(usualRaise({ limit: 'wall', cap: 60_000 }), 60_000);
});
