import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import { BudgetPools } from './budget-pools.ts';

const PROJECT = '/p';
const [top, left, right] = ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc'] as RunId[] as [
  RunId,
  RunId,
  RunId,
];
const none = { tokens: null, usd: null, calls: null, wallMs: null };
const budget = { run: none, project: { ...none, calls: 10 }, tree: none };
const call = {
  inputTokens: 1,
  outputTokens: 0,
  outputTokensMin: 0,
  usd: { input: 1, outputToken: 0 },
};

async function append(
  journal: MemoryJournal,
  run: string,
  ...events: NewRunEvent[]
): Promise<void> {
  const last = await journal.lastSeq(runStream(run));
  await journal.append(runStream(run), last, events, at(1000 + last));
}

function submitted(program: string, more: object = {}): NewRunEvent {
  const settings = { budget: { run: { ...none, usd: 3, wallMs: 9000 } } };
  const payload = { program, task: 't', project: PROJECT, settings, ...more };
  return runEvent({ type: 'run.submitted', payload });
}

const child = (key: string): NewRunEvent =>
  submitted('attempts', { parent: { run: top, key, depth: 1 }, settings: {} });
const begun = (key: string, run: string): NewRunEvent =>
  runEvent({ type: 'command.begun', payload: { key, command: 'run', input: { run }, limits: [] } });
const spent = (usd: number): NewRunEvent =>
  runEvent({
    type: 'command.noted',
    payload: { key: 'attempt-1', note: { kind: 'spent', settled: [], tokens: 5, usd, calls: 1 } },
  });

async function family(): Promise<MemoryJournal> {
  const journal = new MemoryJournal();
  await append(journal, top, submitted('flow'), begun('s-1', left), begun('s-2', right));
  await append(journal, left, child('s-1'), spent(1));
  await append(journal, right, child('s-2'));
  return journal;
}

describe('the budget of a run that starts runs', () => {
  test('bounds its children with its money and its time, and counts what they have spent', async () => {
    const { pools } = await new BudgetPools(await family()).of(right, PROJECT, budget);
    const above = pools.at(-1);
    assert.equal(pools.length, 4);
    assert.deepEqual(
      [above?.scope, above?.ledger.caps, above?.ledger.spent.usd, above?.ledger.begunAt],
      ['tree', { ...none, usd: 3, wallMs: 9000 }, 1, 1000],
    );
    assert.equal(above?.admit(call, at(10_000)).kind, 'exhausted', 'its time is over');
  });

  test('is shared by children side by side', async () => {
    const all = new BudgetPools(await family());
    const [one, other] = await Promise.all(
      [left, right].map(async (run) => (await all.of(run, PROJECT, budget)).pools.at(-1)),
    );
    assert.equal(one, other);
    assert.ok(one);
    assert.equal(one.admit(call, at(2000)).kind, 'admitted');
    one.reserve({ tokens: 1, usd: 2 });
    assert.equal(other?.admit(call, at(2000)).kind, 'wait');
  });

  test('counts an ended child once, in the run and in its project', async () => {
    const journal = await family();
    const outcome = { kind: 'succeeded', reason: 'x' };
    const result = { run: left, outcome, spent: { tokens: 5, usd: 1, calls: 1, unpricedCalls: 0 } };
    const end = { kind: 'done', result };
    await append(journal, left, runEvent({ type: 'run.ended', payload: { outcome } }));
    await append(
      journal,
      top,
      runEvent({ type: 'command.ended', payload: { key: 's-1', command: 'run', end } }),
    );
    assert.equal((await journal.run(top))?.budget.spent.usd, 1);
    const { pools } = await new BudgetPools(journal).of(right, PROJECT, budget);
    assert.deepEqual(
      pools.map(({ scope, ledger }) => [scope, ledger.spent.usd]),
      [
        ['run', 0],
        ['tree', 0],
        ['project', 1],
        ['tree', 1],
      ],
    );
  });

  test('can be raised by a person who answers a child', async () => {
    const journal = await family();
    const over = { scope: 'tree', limit: 'usd', because: 'spent', cap: 3 };
    const choices = ['continue', 'stop'];
    await append(
      journal,
      right,
      runEvent({
        type: 'command.noted',
        payload: { key: 'attempt-1', note: { kind: 'over-budget', ...over } },
      }),
      runEvent({
        type: 'command.begun',
        payload: { key: 'ask-1', command: 'ask', input: { question: '?', choices }, limits: [] },
      }),
      {
        type: 'signal.received',
        payload: { signal: { kind: 'answer', key: 'ask-1', answer: 'continue' } },
      },
    );
    const { pools } = await new BudgetPools(journal).of(right, PROJECT, budget);
    assert.equal(pools.at(-1)?.ledger.caps.usd, 6);
  });
});
