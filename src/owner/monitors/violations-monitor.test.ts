import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '../../base/errors.ts';
import { runStream } from '../../protocol/streams.ts';
import type { AgentRule } from '../../protocol/agent-rules.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { Supervisor } from '../../supervision/index.ts';
import { ManualClock, settle } from '../../testing/fakes/manual-clock.ts';
import { FakeAgents } from '../../../test/support/fake-agents.ts';
import { ActivityBus } from './activity-bus.ts';
import { violationsChild } from './violations-monitor.ts';
import { MonitorStore } from './monitor-store.ts';

const push: AgentRule = {
  name: 'no push',
  action: 'log',
  when: { kind: 'command', words: ['git', 'push'] },
};
const MINUTE = 60_000;

class MonitorHarness {
  clock = new ManualClock();
  readonly journal = new MemoryJournal();
  readonly activity = new ActivityBus();
  readonly agents = new FakeAgents();
  readonly seen: string[] = [];
  readonly reports: string[] = [];

  /** Each call starts another owner. */
  async start(): Promise<Supervisor> {
    const book = await MonitorStore.open({ journal: this.journal, clock: this.clock });
    const store = (): MonitorStore => book;
    const child = violationsChild({
      clock: this.clock,
      activityBus: this.activity,
      agents: this.agents,
      store,
      limits: ['/home/me/.supervisor/config.yaml', '/home/me/.supervisor/roles'],
      report: (note) => void this.reports.push(note),
      log: () => {},
    });
    const observe = ({ kind, id }: { kind: string; id: string }): void =>
      void this.seen.push(`${kind} ${id}`);
    return Supervisor.start({ children: [child] }, { clock: this.clock, observe });
  }

  async pushes(run: string, times = 1): Promise<void> {
    for (let n = 0; n < times; n += 1)
      this.activity.publish(run as never, { kind: 'command', argv: ['git', 'push'] });
    await settle();
  }
}

describe('the violations monitor', () => {
  const actions: [AgentRule['action'], expected: string[]][] = [
    ['log', []],
    ['notify', ['a issue violation']],
    ['warn', ['a message']],
    ['pause', ['a pause', 'a issue violation']],
    ['reap', ['a dismiss']],
  ];
  for (const [action, expected] of actions)
    test(`records the violation and reacts as the rule says: ${action}`, async () => {
      const harness = new MonitorHarness();
      const supervisor = await harness.start();
      harness.agents.add('a', { violations: [{ ...push, action }] });
      await harness.pushes('a');
      assert.deepEqual(harness.agents.sentSignals(), ['a violation no push 1', ...expected]);
      await supervisor.stop();
      assert.equal(harness.clock.sleeping, 0);
    });

  test('protects the files that define an agent’s limits, whatever its rules say', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    const lax: AgentRule = { name: 'lax', action: 'log', when: { kind: 'outside', folders: [] } };
    for (const run of ['a', 'b', 'c']) harness.agents.add(run, { violations: [lax] });
    harness.activity.publish('a' as never, { kind: 'write', path: '/app/.supervisor/config.yaml' });
    harness.activity.publish('b' as never, {
      kind: 'write',
      path: '/home/me/.supervisor/roles/x.yaml',
    });
    harness.activity.publish('c' as never, {
      kind: 'write',
      path: '/home/me/.supervisor/outputs/x',
    });
    await settle();
    assert.deepEqual(harness.agents.sentSignals(), [
      'a violation self-modification 1',
      'a dismiss',
      'b violation self-modification 1',
      'b dismiss',
      'c violation lax 1',
    ]);
    await supervisor.stop();
  });

  test('checks everything that a turn has changed, however much it is', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    harness.agents.add('a');
    const many = Array.from({ length: 20_000 }, (_, index) => `/app/src/${index}.ts`);
    const paths = [...many, '/app/.supervisor/config.yaml'];
    harness.activity.publish('a' as never, { kind: 'changed', paths });
    await settle();
    assert.deepEqual(harness.agents.sentSignals(), [
      'a violation self-modification 1',
      'a dismiss',
    ]);
    await supervisor.stop();
  });

  test('counts children, and reports when there are more', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    const rule: AgentRule = {
      name: 'children',
      action: 'notify',
      when: { kind: 'too-many-children', max: 1 },
    };
    harness.agents.add('a', { violations: [rule] });
    harness.agents.add('b', { parent: 'a' });
    await harness.clock.advance(MINUTE);
    assert.deepEqual(harness.agents.sentSignals(), []);
    harness.agents.add('c', { parent: 'a' });
    await harness.clock.advance(10 * MINUTE);
    assert.deepEqual(harness.agents.sentSignals(), ['a violation children 1', 'a issue violation']);
    await supervisor.stop();
  });

  test('records a storm of violations a few times, and counts all of them', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    harness.agents.add('a', { violations: [{ ...push, action: 'notify' }] });
    for (let second = 0; second < 60; second += 1) {
      await harness.pushes('a', 17);
      await harness.clock.advance(1000);
    }
    const facts = harness.agents.sentSignals().filter((word) => word.startsWith('a violation'));
    assert.equal(facts.length, 16); // ten, and each doubling up to 512
    assert.equal(facts.at(-1), 'a violation no push 512');
    assert.match(harness.reports.at(-1) ?? '', /1020 violations$/);
    await supervisor.stop();
  });

  test('reports an agent that does more at once than can be checked', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    harness.agents.add('a', { violations: [push] });
    await harness.pushes('a', 12_000);
    await harness.clock.advance(MINUTE);
    assert.ok(harness.agents.sentSignals().includes('a violation flood 1'));
    assert.ok(harness.agents.signals.length < 40);
    await supervisor.stop();
  });

  test('ignores an agent that has ended meanwhile', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    harness.agents.add('a', { violations: [{ ...push, action: 'reap' }] });
    harness.agents.faults = [new Refusal({ code: 'run.already-ended', message: 'it has ended' })];
    await harness.pushes('a', 2);
    assert.deepEqual(harness.agents.sentSignals(), ['a violation no push 2', 'a dismiss']);
    assert.deepEqual(harness.seen, ['started violations']);
    await supervisor.stop();
  });

  test('is restarted after a failure and continues to watch', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    harness.agents.add('a', { violations: [push] });
    harness.agents.faults = [new Error('the journal is gone')];
    await harness.pushes('a');
    await harness.pushes('a');
    // The next monitor sends what this one could not send, and continues the count.
    assert.deepEqual(harness.agents.sentSignals(), [
      'a violation no push 1',
      'a violation no push 2',
    ]);
    assert.deepEqual(harness.seen.slice(1), [
      'exited violations',
      'restarting violations',
      'started violations',
    ]);
    await supervisor.stop();
  });

  test('keeps its counts after the last owner was killed', async () => {
    const harness = new MonitorHarness();
    const killed = await harness.start();
    const rule: AgentRule = {
      name: 'children',
      action: 'log',
      when: { kind: 'too-many-children', max: 0 },
    };
    harness.agents.add('a', { violations: [push, rule] });
    harness.agents.add('b', { parent: 'a' });
    await harness.pushes('a', 13);
    await harness.clock.advance(MINUTE);
    const before = harness.agents.sentSignals().length;
    assert.deepEqual(harness.agents.sentSignals().slice(-2), [
      'a violation no push 10',
      'a violation children 1',
    ]);
    await killed.kill();
    harness.clock = new ManualClock(harness.clock.now() + 5000);
    const supervisor = await harness.start();
    await harness.pushes('a', 2);
    await harness.clock.advance(MINUTE);
    assert.equal(harness.reports.at(-1), 'watching 2 agents, 16 violations');
    await harness.pushes('a', 1);
    assert.deepEqual(harness.agents.sentSignals().slice(before), ['a violation no push 16']);
    await supervisor.stop();
  });

  test('sends once what the last owner had decided and not sent', async () => {
    const harness = new MonitorHarness();
    const killed = await harness.start();
    harness.agents.add('a', { violations: [{ ...push, action: 'reap' }] });
    const dies = (): Promise<never> => new Promise(() => undefined);
    const signal = harness.agents.signal.bind(harness.agents);
    harness.agents.signal = async (run, one) => {
      if (one.kind === 'dismiss') return dies();
      const fact = { type: 'signal.received', payload: { signal: one } } as const;
      await harness.journal.append(runStream(run), 0, [fact], harness.clock.now());
      return signal(run, one);
    };
    await harness.pushes('a');
    void killed.kill();
    harness.agents.signal = signal;
    const supervisor = await harness.start();
    await settle();
    assert.deepEqual(harness.agents.sentSignals(), ['a violation no push 1', 'a dismiss']);
    await supervisor.stop();
    const third = await harness.start();
    await settle();
    assert.equal(harness.agents.signals.length, 2);
    await third.stop();
  });
});
