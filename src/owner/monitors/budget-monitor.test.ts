import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Signal } from '../../protocol/event.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { Supervisor } from '../../supervision/index.ts';
import { ManualClock, settle } from '../../testing/fakes/manual-clock.ts';
import { FakeAgents } from '../../../test/support/fake-agents.ts';
import { budgetChild } from './budget-monitor.ts';
import { ActivityBus } from './activity-bus.ts';
import { MonitorStore } from './monitor-store.ts';

const TEN_MINUTES = 600_000;

class Stage {
  clock = new ManualClock();
  readonly journal = new MemoryJournal();
  readonly deeds = new ActivityBus();
  readonly agents = new FakeAgents();

  /** Each time another owner. */
  async start(): Promise<Supervisor> {
    const book = await MonitorStore.open({ journal: this.journal, clock: this.clock });
    const watches = (): MonitorStore => book;
    const { clock, deeds, agents } = this;
    const child = budgetChild({ clock, deeds, agents, watches, say: () => {}, log: () => {} });
    return Supervisor.start({ children: [child] }, { clock });
  }

  async spends(run: string, spent: number, cap: number): Promise<void> {
    this.deeds.tell(run as never, { kind: 'purse', shares: [{ limit: 'usd', spent, cap }] });
    await settle();
  }

  messages(): readonly string[] {
    return this.agents.signals.map(({ run, signal }) => `${run}: ${textOf(signal)}`);
  }
}

function textOf(signal: Signal): string {
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
  test('warns an agent and its parent at four fifths, once', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.agents.add('p');
    stage.agents.add('a', { parent: 'p' });
    await stage.spends('a', 3.9, 5);
    assert.deepEqual(stage.messages(), []);
    await stage.spends('a', 4.1, 5);
    await stage.spends('a', 4.5, 5);
    await stage.spends('a', 5, 5);
    assert.equal(stage.messages().length, 2);
    assert.match(stage.messages()[0] ?? '', /^a: You have used 82 % of 5 USD\. /);
    assert.equal(stage.messages()[1], 'p: agent-a has used 82 % of 5 USD.');
    await supervisor.stop();
    assert.equal(stage.clock.sleeping, 0);
  });

  test('warns again when a person has raised it and that is near its end too', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.agents.add('a');
    for (const [spent, cap] of [
      [4, 5],
      [5, 10],
      [8, 10],
      [9, 10],
    ] as const)
      await stage.spends('a', spent, cap);
    assert.equal(stage.messages().length, 2);
    await supervisor.stop();
  });

  test('tells those who give to others what they have left, when it has changed', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.agents.add('p', { grant: grant(10) });
    stage.agents.add('a', { parent: 'p', grant: grant(2) });
    stage.agents.add('q', { grant: grant(10), state: 'waiting-wakeup' });
    stage.agents.add('b', { parent: 'q', grant: grant(2) });
    stage.agents.add('r', { grant: grant(null) });
    stage.agents.add('c', { parent: 'r', grant: grant(2) });
    await stage.spends('p', 1, 10);
    await stage.clock.advance(3 * TEN_MINUTES);
    const said = 'p: Of your budget 7 USD are left to spend or to give to others.';
    assert.deepEqual(stage.messages(), [said]);
    await stage.spends('p', 2.5, 10);
    await stage.clock.advance(TEN_MINUTES);
    assert.match(stage.messages()[1] ?? '', /5\.5 USD/);
    await supervisor.stop();
  });

  test('warns nobody again, and tells nobody the same again, where the last owner was killed', async () => {
    const stage = new Stage();
    const killed = await stage.start();
    stage.agents.add('p', { grant: grant(10) });
    stage.agents.add('a', { parent: 'p', grant: grant(2) });
    await stage.spends('p', 1, 10);
    await stage.spends('a', 1.7, 2);
    await stage.clock.advance(TEN_MINUTES);
    assert.equal(stage.messages().length, 3);
    await killed.kill();
    stage.clock = new ManualClock(stage.clock.now() + 5000);
    const supervisor = await stage.start();
    await stage.spends('a', 1.8, 2);
    await stage.clock.advance(3 * TEN_MINUTES);
    assert.equal(stage.messages().length, 3);
    await supervisor.stop();
  });
});
