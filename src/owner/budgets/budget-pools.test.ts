import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import { continuesFrom } from '../../protocol/views/budget-view.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/event.ts';
import { defaultSettings } from '../../settings/settings.ts';
import type { Journal } from '../../store/journal.ts';
import type { CallEstimate } from '../../gateway/budget/budget-ledger.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { BudgetPools } from './budget-pools.ts';

const PROJECT = '/p';
const [one, two] = ['aaaaaaaaaa', 'bbbbbbbbbb'] as RunId[] as [RunId, RunId];

const none = { tokens: null, usd: null, calls: null, wallMs: null };
const budget = { run: { ...none, usd: 5 }, project: { ...none, calls: 3 }, tree: none };

async function say(
  journal: Journal,
  run: string,
  ...events: readonly NewRunEvent[]
): Promise<void> {
  const last = await journal.lastSeq(runStream(run));
  await journal.append(runStream(run), last, events, at(1000 + last));
}

const submitted: NewRunEvent = {
  type: 'run.submitted',
  payload: { program: 'attempts', task: 't', project: PROJECT, settings: {} },
};

function wish(usd: number): CallEstimate {
  return {
    inputTokens: 1,
    outputTokens: 0,
    outputTokensMin: 0,
    usd: { input: usd, outputToken: 0 },
  };
}

function noted(note: Record<string, unknown>): NewRunEvent {
  return { type: 'command.noted', payload: { key: 'attempt-1', note } };
}

const spent = noted({ kind: 'spent', tokens: 10, usd: 1, calls: 1 });

describe('the purses of an attempt', () => {
  test('know what its run and its project have spent before, under whichever owner', async () => {
    const journal = new MemoryJournal();
    await say(journal, one, submitted, spent, spent);
    await say(journal, two, submitted, spent);
    const { purses, unpriced } = await new BudgetPools(journal).of(two, PROJECT, budget);
    assert.deepEqual(
      purses.map(({ scope, ledger }) => [scope, ledger.caps, ledger.spent.calls, ledger.begunAt]),
      [
        ['run', budget.run, 1, 1000],
        ['tree', none, 1, 1000],
        ['project', budget.project, 3, 1000],
      ],
    );
    assert.equal(unpriced, false);
    assert.deepEqual(
      purses.map((purse) => purse.admit(wish(0.1), at(2000)).kind),
      ['admitted', 'admitted', 'exhausted'],
    );
  });

  test('of an agent that gives to a child shrinks by that, from its next call on', async () => {
    const journal = new MemoryJournal();
    const summoned: NewRunEvent = {
      type: 'run.submitted',
      payload: { program: 'life', task: 't', project: PROJECT, settings: {} },
    };
    await say(journal, one, summoned, spent);
    let given = 0;
    const book = new BudgetPools(journal, {
      givenBy: () => ({ usd: given, tokens: 0, calls: 0 }),
      familyOf: () => [],
      buriedBy: () => ({ usd: 0, tokens: 0, calls: 0 }),
    });
    const { purses } = await book.of(one, PROJECT, { ...budget, project: none });
    const asks = (usd: number): readonly string[] =>
      purses.map((purse) => purse.admit(wish(usd), at(2000)).kind);
    assert.deepEqual(asks(0.5), ['admitted', 'admitted', 'admitted']);
    given = 4; // of 5, and 1 is spent
    book.renew(one);
    assert.deepEqual(asks(0.5), ['exhausted', 'admitted', 'admitted']);
    given = 0; // the child is over and has spent nothing
    book.renew(one);
    assert.deepEqual(asks(0.5), ['admitted', 'admitted', 'admitted']);
    book.forget(one);
    given = 5;
    book.renew(one);
    assert.deepEqual(asks(0.5), ['admitted', 'admitted', 'admitted']);
  });

  test('of agents that one has started are one for all of them', async () => {
    const journal = new MemoryJournal();
    await say(journal, one, submitted, spent);
    await say(journal, two, submitted, spent);
    const family = {
      givenBy: () => ({ usd: 0, tokens: 0, calls: 0 }),
      familyOf: () => [one, two],
      buriedBy: (run: RunId) => ({ usd: run === one ? 0.5 : 0, tokens: 0, calls: 0 }),
    };
    const book = new BudgetPools(journal, family);
    const caps = { run: none, project: none, tree: { ...none, calls: 3 } };
    const [, first] = (await book.of(one, PROJECT, caps)).purses;
    const [, second] = (await book.of(two, PROJECT, caps)).purses;
    assert.equal(first, second);
    assert.deepEqual(second?.ledger.spent, { tokens: 20, usd: 2.5, calls: 2 });
    assert.equal(first?.admit(wish(0), at(2000)).kind, 'admitted');
    first.reserve({ tokens: 1, usd: 0 });
    assert.equal(second.admit(wish(0), at(2000)).kind, 'wait');
    book.forget(one);
    assert.notEqual((await book.of(two, PROJECT, caps)).purses[1], second);
  });

  test('of a run that goes on from another go on with what that has spent, counted once', async () => {
    const journal = new MemoryJournal();
    await say(journal, one, submitted, spent, spent);
    const parent = (await journal.run(one)) ?? assert.fail();
    const budgetThen = continuesFrom(parent, 5000);
    await say(journal, two, {
      type: 'run.forked',
      payload: { from: one, seq: 1, submission: submitted.payload, budget: budgetThen },
    });
    await say(journal, two, spent);
    const { purses } = await new BudgetPools(journal).of(two, PROJECT, budget);
    assert.deepEqual(
      purses.map(({ ledger }) => [ledger.spent.calls, ledger.spent.usd, ledger.begunAt]),
      [
        [3, 3, -3000],
        [3, 3, -3000],
        [3, 3, 1000],
      ],
    );
  });

  test('count what an owner that died had under way', async () => {
    const journal = new MemoryJournal();
    const reserved = noted({ kind: 'reserved', call: 1, tokens: 90, usd: 2 });
    await say(journal, one, submitted, spent, reserved);
    await say(journal, two, submitted);
    const { purses } = await new BudgetPools(journal).of(two, PROJECT, budget);
    assert.deepEqual(purses[2]?.ledger.spent, { tokens: 100, usd: 3, calls: 2 });
  });

  test('are shared by the runs of a project, and no more than that', async () => {
    const journal = new MemoryJournal();
    await say(journal, one, submitted);
    await say(journal, two, submitted);
    const book = new BudgetPools(journal);
    const [first, second] = [
      await book.of(one, PROJECT, budget),
      await book.of(two, PROJECT, budget),
    ];
    assert.equal(first.purses[2], second.purses[2]);
    assert.notEqual(first.purses[0], second.purses[0]);
  });

  test('have grown by what a person has allowed', async () => {
    const journal = new MemoryJournal();
    const goOn: NewRunEvent = {
      type: 'signal.received',
      payload: { signal: { kind: 'answer', key: 'q', answer: 'continue' } },
    };
    const over = (scope: string, limit: string, cap: number): NewRunEvent =>
      noted({ kind: 'over-budget', scope, limit, because: 'spent', cap });
    await say(journal, one, submitted, over('run', 'usd', 5), goOn);
    await say(journal, two, submitted, over('project', 'calls', 3), goOn);
    const book = new BudgetPools(journal);
    const { purses } = await book.of(one, PROJECT, budget);
    assert.deepEqual([purses[0]?.ledger.caps.usd, purses[2]?.ledger.caps.calls], [10, 6]);
    await say(journal, two, over('project', 'calls', 3), goOn);
    await book.of(two, PROJECT, budget);
    assert.equal(purses[2]?.ledger.caps.calls, 9);
  });

  test('have no bottom where nothing is configured', async () => {
    const journal = new MemoryJournal();
    await say(journal, one, submitted, spent);
    const { purses } = await new BudgetPools(journal).of(one, PROJECT, defaultSettings.budget);
    const far = at(Number.MAX_SAFE_INTEGER);
    assert.ok(
      purses.every((purse) => purse.admit({ ...wish(0), usd: null }, far).kind === 'admitted'),
    );
  });
});
