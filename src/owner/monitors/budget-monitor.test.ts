import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Signal } from '../../protocol/signal.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { Supervisor } from '../../supervision/index.ts';
import { ManualClock, settle } from '../../testing/fakes/manual-clock.ts';
import { FakeAgents } from '../../../test/support/fake-agents.ts';
import { budgetChild } from './budget-monitor.ts';
import { ActivityBus } from './activity-bus.ts';
import { MonitorStore } from './monitor-store.ts';

const TEN_MINUTES = 600_000;

class MonitorHarness {
  clock = new ManualClock();
  readonly journal = new MemoryJournal();
  readonly activity = new ActivityBus();
  readonly agents = new FakeAgents();

  /** Each call starts another owner. */
  async start(): Promise<Supervisor> {
    const book = await MonitorStore.open({ journal: this.journal, clock: this.clock });
    const store = (): MonitorStore => book;
    const { clock, activity: activityBus, agents } = this;
    const child = budgetChild({
      clock,
      activityBus,
      agents,
      store,
      report: () => {},
      log: () => {},
    });
    return Supervisor.start({ children: [child] }, { clock });
  }

  async spends(run: string, spent: number, cap: number): Promise<void> {
    this.activity.publish(run as never, { kind: 'purse', shares: [{ limit: 'usd', spent, cap }] });
    await settle();
  }

  messages(): readonly string[] {
    return this.agents.signals.map(({ run, signal }) => `${run}: ${signalText(signal)}`);
  }
}

function signalText(signal: Signal): string {
  return signal.kind === 'message' ? signal.text : signal.kind;
}

const budget = (
  usd: number | null,
): { usd: number | null; tokens: null; calls: null; wallMs: null } => ({
  usd,
  tokens: null,
  calls: null,
  wallMs: null,
});
const grant = (usd: number | null) =>
  ({ writes: [], reads: [], hosts: [], capabilities: [], budget: budget(usd) }) as const;

describe('the budget monitor', () => {
  test('warns an agent and its parent once, at 80 percent', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    harness.agents.add('p');
    harness.agents.add('a', { parent: 'p' });
    await harness.spends('a', 3.9, 5);
    assert.deepEqual(harness.messages(), []);
    await harness.spends('a', 4.1, 5);
    await harness.spends('a', 4.5, 5);
    await harness.spends('a', 5, 5);
    assert.equal(harness.messages().length, 2);
    assert.match(harness.messages()[0] ?? '', /^a: You have used 82 % of 5 USD\. /);
    assert.equal(harness.messages()[1], 'p: agent-a has used 82 % of 5 USD.');
    await supervisor.stop();
    assert.equal(harness.clock.sleeping, 0);
  });

  test('warns again when a raised budget is nearly used up', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    harness.agents.add('a');
    for (const [spent, cap] of [
      [4, 5],
      [5, 10],
      [8, 10],
      [9, 10],
    ] as const)
      await harness.spends('a', spent, cap);
    assert.equal(harness.messages().length, 2);
    await supervisor.stop();
  });

  test('reports the remaining budget to agents that delegate, when it has changed', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    harness.agents.add('p', { grant: grant(10) });
    harness.agents.add('a', { parent: 'p', grant: grant(2) });
    harness.agents.add('q', { grant: grant(10), state: 'waiting-wakeup' });
    harness.agents.add('b', { parent: 'q', grant: grant(2) });
    harness.agents.add('r', { grant: grant(null) });
    harness.agents.add('c', { parent: 'r', grant: grant(2) });
    await harness.spends('p', 1, 10);
    await harness.clock.advance(3 * TEN_MINUTES);
    const expected = 'p: 7 USD of your budget are left to spend or to delegate.';
    assert.deepEqual(harness.messages(), [expected]);
    await harness.spends('p', 2.5, 10);
    await harness.clock.advance(TEN_MINUTES);
    assert.match(harness.messages()[1] ?? '', /5\.5 USD/);
    await supervisor.stop();
  });

  test('repeats no warning and no report after the last owner was killed', async () => {
    const harness = new MonitorHarness();
    const killed = await harness.start();
    harness.agents.add('p', { grant: grant(10) });
    harness.agents.add('a', { parent: 'p', grant: grant(2) });
    await harness.spends('p', 1, 10);
    await harness.spends('a', 1.7, 2);
    await harness.clock.advance(TEN_MINUTES);
    assert.equal(harness.messages().length, 3);
    await killed.kill();
    harness.clock = new ManualClock(harness.clock.now() + 5000);
    const supervisor = await harness.start();
    await harness.spends('a', 1.8, 2);
    await harness.clock.advance(3 * TEN_MINUTES);
    assert.equal(harness.messages().length, 3);
    await supervisor.stop();
  });
});
