import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import { continuesFrom } from '../../protocol/views/budget-view.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { defaultSettings } from '../../settings/settings.ts';
import type { Journal } from '../../store/journal.ts';
import type { CallEstimate } from '../../gateway/budget/budget-ledger.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { BudgetPools } from './budget-pools.ts';
import { runEvent } from '../../../test/support/run-event.ts';

const PROJECT = '/p';
const [one, two] = ['aaaaaaaaaa', 'bbbbbbbbbb'] as RunId[] as [RunId, RunId];

const none = { tokens: null, usd: null, calls: null, wallMs: null };
const budget = { run: { ...none, usd: 5 }, project: { ...none, calls: 3 }, tree: none };

async function append(
  journal: Journal,
  run: string,
  ...events: readonly NewRunEvent[]
): Promise<void> {
  const last = await journal.lastSeq(runStream(run));
  await journal.append(runStream(run), last, events, at(1000 + last));
}

const submitted: NewRunEvent = runEvent({
  type: 'run.submitted',
  payload: { program: 'attempts', task: 't', project: PROJECT, settings: {} },
});

const started: NewRunEvent = runEvent({
  type: 'command.begun',
  payload: { key: 'attempt-1', command: 'attempt', input: { agent: { id: 'a' }, number: 1 } },
});

function estimate(usd: number): CallEstimate {
  return {
    inputTokens: 1,
    outputTokens: 0,
    outputTokensMin: 0,
    usd: { input: usd, outputToken: 0 },
  };
}

function commandNote(note: Record<string, unknown>): NewRunEvent {
  return runEvent({ type: 'command.noted', payload: { key: 'attempt-1', note } });
}

const spent = commandNote({ kind: 'spent', tokens: 10, usd: 1, calls: 1 });

describe('the budget pools of an attempt', () => {
  test('include what its run and its project spent before, under any owner', async () => {
    const journal = new MemoryJournal();
    await append(journal, one, submitted);
    await append(journal, one, started, spent, spent);
    await append(journal, two, submitted);
    await append(journal, two, started, spent);
    const { pools, unpriced } = await new BudgetPools(journal).of(two, PROJECT, budget);
    assert.deepEqual(
      pools.map(({ scope, ledger }) => [scope, ledger.caps, ledger.spent.calls, ledger.begunAt]),
      [
        ['run', budget.run, 1, 1001],
        ['tree', none, 1, 1001],
        ['project', budget.project, 3, 1001],
      ],
    );
    assert.equal(unpriced, false);
    assert.deepEqual(
      pools.map((purse) => purse.admit(estimate(0.1), at(2000)).kind),
      ['admitted', 'admitted', 'exhausted'],
    );
  });

  test('shrink for an agent that delegates to a child, from its next call on', async () => {
    const journal = new MemoryJournal();
    const summoned: NewRunEvent = runEvent({
      type: 'run.submitted',
      payload: { program: 'agent', task: 't', project: PROJECT, settings: {} },
    });
    await append(journal, one, summoned, spent);
    let given = 0;
    const book = new BudgetPools(journal, {
      delegatedBy: () => ({ usd: given, tokens: 0, calls: 0 }),
      findFamily: () => [],
      removedUsage: () => ({ usd: 0, tokens: 0, calls: 0 }),
    });
    const { pools } = await book.of(one, PROJECT, { ...budget, project: none });
    const asks = (usd: number): readonly string[] =>
      pools.map((purse) => purse.admit(estimate(usd), at(2000)).kind);
    assert.deepEqual(asks(0.5), ['admitted', 'admitted', 'admitted']);
    given = 4; // of 5, and 1 is spent
    book.renew(one);
    assert.deepEqual(asks(0.5), ['exhausted', 'admitted', 'admitted']);
    given = 0; // the child ended and spent nothing
    book.renew(one);
    assert.deepEqual(asks(0.5), ['admitted', 'admitted', 'admitted']);
    book.forget(one);
    given = 5;
    book.renew(one);
    assert.deepEqual(asks(0.5), ['admitted', 'admitted', 'admitted']);
  });

  test('are shared by all agents of a family', async () => {
    const journal = new MemoryJournal();
    await append(journal, one, submitted, spent);
    await append(journal, two, submitted, spent);
    const family = {
      delegatedBy: () => ({ usd: 0, tokens: 0, calls: 0 }),
      findFamily: () => [one, two],
      removedUsage: (run: RunId) => ({ usd: run === one ? 0.5 : 0, tokens: 0, calls: 0 }),
    };
    const book = new BudgetPools(journal, family);
    const caps = { run: none, project: none, tree: { ...none, calls: 3 } };
    const [, first] = (await book.of(one, PROJECT, caps)).pools;
    const [, second] = (await book.of(two, PROJECT, caps)).pools;
    assert.equal(first, second);
    assert.deepEqual(second?.ledger.spent, { tokens: 20, usd: 2.5, calls: 2 });
    assert.equal(first?.admit(estimate(0), at(2000)).kind, 'admitted');
    first.reserve({ tokens: 1, usd: 0 });
    assert.equal(second.admit(estimate(0), at(2000)).kind, 'wait');
    book.forget(one);
    assert.notEqual((await book.of(two, PROJECT, caps)).pools[1], second);
  });

  test('of a forked run include what the original spent, counted once', async () => {
    const journal = new MemoryJournal();
    await append(journal, one, submitted, started, spent, spent);
    const parent = (await journal.run(one)) ?? assert.fail();
    const budgetThen = continuesFrom(parent, 5000);
    await append(journal, two, {
      type: 'run.forked',
      payload: { from: one, seq: 1, submission: submitted.payload, budget: budgetThen },
    });
    await append(journal, two, started, spent);
    const { pools } = await new BudgetPools(journal).of(two, PROJECT, budget);
    assert.deepEqual(
      pools.map(({ ledger }) => [ledger.spent.calls, ledger.spent.usd, ledger.begunAt]),
      [
        [3, 3, -2999],
        [3, 3, -2999],
        [3, 3, 1000],
      ],
    );
  });

  test('include open calls of an owner that died', async () => {
    const journal = new MemoryJournal();
    const reserved = commandNote({ kind: 'reserved', call: 1, tokens: 90, usd: 2 });
    await append(journal, one, submitted, spent, reserved);
    await append(journal, two, submitted);
    const { pools } = await new BudgetPools(journal).of(two, PROJECT, budget);
    assert.deepEqual(pools[2]?.ledger.spent, { tokens: 100, usd: 3, calls: 2 });
  });

  test('are shared by the runs of a project, and only by those', async () => {
    const journal = new MemoryJournal();
    await append(journal, one, submitted);
    await append(journal, two, submitted);
    const book = new BudgetPools(journal);
    const [first, second] = [
      await book.of(one, PROJECT, budget),
      await book.of(two, PROJECT, budget),
    ];
    assert.equal(first.pools[2], second.pools[2]);
    assert.notEqual(first.pools[0], second.pools[0]);
  });

  test('grow by what a person has allowed', async () => {
    const journal = new MemoryJournal();
    const goOn: NewRunEvent[] = [
      runEvent({
        type: 'command.begun',
        payload: { key: 'ask-1', command: 'ask', input: { choices: ['continue', 'stop'] } },
      }),
      {
        type: 'signal.received',
        payload: { signal: { kind: 'answer', key: 'ask-1', answer: 'continue' } },
      },
    ];
    const over = (scope: string, limit: string, cap: number): NewRunEvent =>
      commandNote({ kind: 'over-budget', scope, limit, because: 'spent', cap });
    await append(journal, one, submitted, over('run', 'usd', 5), ...goOn);
    await append(journal, two, submitted, over('project', 'calls', 3), ...goOn);
    const book = new BudgetPools(journal);
    const { pools } = await book.of(one, PROJECT, budget);
    assert.deepEqual([pools[0]?.ledger.caps.usd, pools[2]?.ledger.caps.calls], [10, 6]);
    await append(journal, two, over('project', 'calls', 3), ...goOn);
    await book.of(two, PROJECT, budget);
    assert.equal(pools[2]?.ledger.caps.calls, 9);
  });

  test('are unlimited if nothing is configured', async () => {
    const journal = new MemoryJournal();
    await append(journal, one, submitted, spent);
    const { pools } = await new BudgetPools(journal).of(one, PROJECT, defaultSettings.budget);
    const far = at(Number.MAX_SAFE_INTEGER);
    assert.ok(
      pools.every((purse) => purse.admit({ ...estimate(0), usd: null }, far).kind === 'admitted'),
    );
  });
});
