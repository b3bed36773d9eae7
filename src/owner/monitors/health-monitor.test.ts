import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HealthPolicy } from '../../protocol/agent-rules.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { Supervisor } from '../../supervision/index.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { FakeAgents } from '../../../test/support/fake-agents.ts';
import { ActivityBus } from './activity-bus.ts';
import { HEALTH_EVERY_MS, healthChild } from './health-monitor.ts';
import { MonitorStore } from './monitor-store.ts';

const policy: HealthPolicy = { spinCalls: 4, onSpin: 'notify', inactivity: null };

class MonitorHarness {
  clock = new ManualClock();
  readonly journal = new MemoryJournal();
  readonly activity = new ActivityBus();
  readonly agents = new FakeAgents();
  readonly seen: string[] = [];
  readonly reports: string[] = [];
  /** The fingerprint of the agent's tree. */
  print: string | null = 'unchanged';
  looks = 0;
  faults = 0;

  /** Each call starts another owner. */
  async start(): Promise<Supervisor> {
    const book = await MonitorStore.open({ journal: this.journal, clock: this.clock });
    const store = (): MonitorStore => book;
    const child = healthChild({
      clock: this.clock,
      activityBus: this.activity,
      agents: this.agents,
      store,
      fingerprint: async () => {
        this.looks += 1;
        if (this.faults-- > 0) throw new Error('the disk is gone');
        return this.print;
      },
      report: (note) => void this.reports.push(note),
      log: () => {},
    });
    const observe = ({ kind, id }: { kind: string; id: string }): void =>
      void this.seen.push(`${kind} ${id}`);
    return Supervisor.start({ children: [child] }, { clock: this.clock, observe });
  }

  /** Half a minute in which an agent makes these calls, one per letter. */
  async round(run: string, calls: string): Promise<void> {
    const id = this.agents.add(run, this.#as(run));
    this.activity.publish(id, { kind: 'turn-begun', folder: '/tree' });
    for (const call of calls.split('')) this.activity.publish(id, { kind: 'call', call });
    await this.clock.advance(HEALTH_EVERY_MS);
  }

  #as(run: string): Parameters<FakeAgents['add']>[1] {
    const before = this.agents.living().find((one) => one.run === run);
    if (before === undefined) return { health: policy };
    const { state, life } = before.status;
    return { ...before.settings, state, life };
  }
}

describe('the health monitor', () => {
  test('reports an agent that repeats the same call without a result as spinning', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    await harness.round('a', 'xx'); // half of the calls are enough to read the tree
    assert.deepEqual([harness.agents.sentSignals(), harness.looks], [[], 1]);
    await harness.round('a', 'xx');
    assert.deepEqual(harness.agents.sentSignals(), ['a issue spinning']);
    assert.equal(harness.agents.notes.get('a' as never), 'spinning: 4 times x');
    assert.equal(harness.reports.at(-1), 'watching 1 agent, 1 of them not well');
    await harness.round('a', 'x'); // reported once, until as many calls have followed
    assert.equal(harness.agents.signals.length, 1);
    await harness.round('a', 'xxx');
    assert.deepEqual(harness.agents.sentSignals(), ['a issue spinning', 'a issue spinning']);
    await supervisor.stop();
    assert.equal(harness.clock.sleeping, 0);
  });

  test('finds no problem if the same call changes the tree', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    for (let round = 0; round < 20; round += 1) {
      harness.print = `changed in round ${round}`;
      await harness.round('a', 'xxx');
    }
    assert.deepEqual(harness.agents.signals, []);
    await supervisor.stop();
  });

  test('reads no tree without a suspicion, and does not act if the tree is too large', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    await harness.round('a', 'abcdefgh');
    await harness.round('a', 'ijklmnop');
    assert.equal(harness.looks, 0);
    harness.print = null;
    const before = harness.looks;
    for (let round = 0; round < 5; round += 1) await harness.round('a', 'xxxx');
    assert.notEqual(harness.looks, before);
    assert.deepEqual(harness.agents.signals, []);
    await supervisor.stop();
  });

  test('ignores silence, however long', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    await harness.round('a', 'xxxxxxxx');
    await harness.clock.advance(86_400_000);
    assert.deepEqual(harness.agents.signals, []);
    await supervisor.stop();
  });

  const actions: [HealthPolicy['onSpin'], expected: string[]][] = [
    ['none', []],
    ['notify', ['issue spinning']],
    ['steer', ['message']],
    ['pause', ['pause', 'issue spinning']],
    ['restart', ['trigger spinning']],
    ['reap', ['dismiss']],
  ];
  for (const [onSpin, expected] of actions)
    test(`reacts to spinning as configured: ${onSpin}`, async () => {
      const harness = new MonitorHarness();
      const supervisor = await harness.start();
      harness.agents.add('a', { health: { ...policy, onSpin } });
      await harness.round('a', 'xx');
      await harness.round('a', 'xx');
      assert.deepEqual(
        harness.agents.sentSignals(),
        expected.map((word) => `a ${word}`),
      );
      await supervisor.stop();
    });

  test('escalates an agent that continues after two messages', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    harness.agents.add('a', { health: { ...policy, onSpin: 'steer' } });
    for (let round = 0; round < 5; round += 1) await harness.round('a', 'xxxx');
    assert.deepEqual(harness.agents.sentSignals().slice(0, 3), [
      'a message',
      'a message',
      'a issue spinning',
    ]);
    await supervisor.stop();
  });

  test('prompts a silent agent only if configured, once, and only while it works', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    const health = { ...policy, inactivity: { afterMs: 120_000, action: 'prod' as const } };
    harness.agents.add('a', { health });
    harness.agents.add('b', { health, state: 'waiting-input' });
    harness.agents.add('c', {
      health: { ...health, inactivity: { afterMs: 120_000, action: 'reap' } },
    });
    for (const run of ['a', 'b', 'c']) await harness.round(run, 'x');
    await harness.clock.advance(60_000);
    assert.deepEqual(harness.agents.sentSignals(), ['a message']);
    await harness.clock.advance(600_000);
    assert.deepEqual(harness.agents.sentSignals(), ['a message', 'c dismiss']);
    await harness.round('a', 'y');
    await harness.clock.advance(120_000);
    assert.deepEqual(harness.agents.sentSignals(), ['a message', 'c dismiss', 'a message']);
    await supervisor.stop();
  });

  test('starts with an empty window in each life, and forgets ended agents', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    await harness.round('a', 'xxx');
    harness.agents.add('a', { health: policy, life: 2 });
    await harness.round('a', 'x');
    await harness.round('a', 'x');
    assert.deepEqual(harness.agents.signals, []);
    harness.agents.agents.clear();
    await harness.clock.advance(HEALTH_EVERY_MS);
    assert.equal(harness.reports.at(-1), 'watching 0 agents');
    await supervisor.stop();
  });

  test('ignores plain runs', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    for (let n = 0; n < 50; n += 1)
      harness.activity.publish('p' as never, { kind: 'call', call: 'x' });
    await harness.clock.advance(HEALTH_EVERY_MS);
    assert.deepEqual([harness.agents.signals, harness.looks], [[], 0]);
    await supervisor.stop();
  });

  test('is restarted after a failure and continues to watch', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    harness.faults = 1;
    await harness.round('a', 'xx');
    assert.deepEqual(harness.seen, [
      'started health',
      'exited health',
      'restarting health',
      'started health',
    ]);
    await harness.round('a', 'xx');
    await harness.round('a', 'xx');
    assert.deepEqual(harness.agents.sentSignals(), ['a issue spinning']);
    await supervisor.stop();
  });

  test('keeps its counts after the last owner was killed', async () => {
    const harness = new MonitorHarness();
    const killed = await harness.start();
    harness.agents.add('a', { health: { ...policy, onSpin: 'steer' } });
    for (const calls of ['xx', 'xx', 'xxxx', 'xx']) await harness.round('a', calls);
    assert.deepEqual(harness.agents.sentSignals(), ['a message', 'a message']);
    await killed.kill();
    harness.clock = new ManualClock(harness.clock.now() + 5000);
    const supervisor = await harness.start();
    await harness.round('a', 'x');
    assert.equal(harness.agents.signals.length, 2);
    await harness.round('a', 'x'); // the fourth call since the last message, after two messages
    assert.deepEqual(harness.agents.sentSignals().slice(2), ['a issue spinning']);
    assert.equal(harness.agents.notes.get('a' as never), 'spinning: 8 times x');
    await supervisor.stop();
  });

  test('knows where an agent works after it failed itself in the middle of a turn', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    harness.faults = 1;
    await harness.round('a', 'xx');
    for (const calls of ['xx', 'xx']) {
      for (const call of calls) harness.activity.publish('a' as never, { kind: 'call', call });
      await harness.clock.advance(HEALTH_EVERY_MS);
    }
    assert.deepEqual(harness.agents.sentSignals(), ['a issue spinning']);
    await supervisor.stop();
  });
});
