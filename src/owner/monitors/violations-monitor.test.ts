import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '../../base/errors.ts';
import { runStream } from '../../protocol/event.ts';
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

class Stage {
  clock = new ManualClock();
  readonly journal = new MemoryJournal();
  readonly deeds = new ActivityBus();
  readonly agents = new FakeAgents();
  readonly seen: string[] = [];
  readonly said: string[] = [];

  /** Each time another owner. */
  async start(): Promise<Supervisor> {
    const book = await MonitorStore.open({ journal: this.journal, clock: this.clock });
    const watches = (): MonitorStore => book;
    const child = violationsChild({
      clock: this.clock,
      deeds: this.deeds,
      agents: this.agents,
      watches,
      limits: ['/home/me/.supervisor/config.yaml', '/home/me/.supervisor/roles'],
      say: (note) => void this.said.push(note),
      log: () => {},
    });
    const observe = ({ kind, id }: { kind: string; id: string }): void =>
      void this.seen.push(`${kind} ${id}`);
    return Supervisor.start({ children: [child] }, { clock: this.clock, observe });
  }

  async pushes(run: string, times = 1): Promise<void> {
    for (let n = 0; n < times; n += 1)
      this.deeds.tell(run as never, { kind: 'command', argv: ['git', 'push'] });
    await settle();
  }
}

describe('the violations monitor', () => {
  const actions: [AgentRule['action'], told: string[]][] = [
    ['log', []],
    ['notify', ['a matter violation']],
    ['warn', ['a message']],
    ['pause', ['a pause', 'a matter violation']],
    ['reap', ['a dismiss']],
  ];
  for (const [action, told] of actions)
    test(`writes it down, and does as the rule says: ${action}`, async () => {
      const stage = new Stage();
      const supervisor = await stage.start();
      stage.agents.add('a', { violations: [{ ...push, action }] });
      await stage.pushes('a');
      assert.deepEqual(stage.agents.told(), ['a violation no push 1', ...told]);
      await supervisor.stop();
      assert.equal(stage.clock.sleeping, 0);
    });

  test('what sets an agent’s limits is not for it to write, whatever its rules say', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    const lax: AgentRule = { name: 'lax', action: 'log', when: { kind: 'outside', folders: [] } };
    for (const run of ['a', 'b', 'c']) stage.agents.add(run, { violations: [lax] });
    stage.deeds.tell('a' as never, { kind: 'write', path: '/app/.supervisor/config.yaml' });
    stage.deeds.tell('b' as never, { kind: 'write', path: '/home/me/.supervisor/roles/x.yaml' });
    stage.deeds.tell('c' as never, { kind: 'write', path: '/home/me/.supervisor/outputs/x' });
    await settle();
    assert.deepEqual(stage.agents.told(), [
      'a violation self-modification 1',
      'a dismiss',
      'b violation self-modification 1',
      'b dismiss',
      'c violation lax 1',
    ]);
    await supervisor.stop();
  });

  test('looks at all that a turn has changed, however much it is', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.agents.add('a');
    const many = Array.from({ length: 20_000 }, (_, index) => `/app/src/${index}.ts`);
    const paths = [...many, '/app/.supervisor/config.yaml'];
    stage.deeds.tell('a' as never, { kind: 'changed', paths });
    await settle();
    assert.deepEqual(stage.agents.told(), ['a violation self-modification 1', 'a dismiss']);
    await supervisor.stop();
  });

  test('counts children, and says so when there are more', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    const rule: AgentRule = {
      name: 'children',
      action: 'notify',
      when: { kind: 'too-many-children', max: 1 },
    };
    stage.agents.add('a', { violations: [rule] });
    stage.agents.add('b', { parent: 'a' });
    await stage.clock.advance(MINUTE);
    assert.deepEqual(stage.agents.told(), []);
    stage.agents.add('c', { parent: 'a' });
    await stage.clock.advance(10 * MINUTE);
    assert.deepEqual(stage.agents.told(), ['a violation children 1', 'a matter violation']);
    await supervisor.stop();
  });

  test('a storm is written down a few times, and counted', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.agents.add('a', { violations: [{ ...push, action: 'notify' }] });
    for (let second = 0; second < 60; second += 1) {
      await stage.pushes('a', 17);
      await stage.clock.advance(1000);
    }
    const facts = stage.agents.told().filter((word) => word.startsWith('a violation'));
    assert.equal(facts.length, 16); // ten, and each doubling up to 512
    assert.equal(facts.at(-1), 'a violation no push 512');
    assert.match(stage.said.at(-1) ?? '', /1020 violations$/);
    await supervisor.stop();
  });

  test('who does more at once than can be looked at is told of', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.agents.add('a', { violations: [push] });
    await stage.pushes('a', 12_000);
    await stage.clock.advance(MINUTE);
    assert.ok(stage.agents.told().includes('a violation flood 1'));
    assert.ok(stage.agents.signals.length < 40);
    await supervisor.stop();
  });

  test('an agent that has ended meanwhile is no fault', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.agents.add('a', { violations: [{ ...push, action: 'reap' }] });
    stage.agents.faults = [new Refusal({ code: 'run.already-ended', message: 'it has ended' })];
    await stage.pushes('a', 2);
    assert.deepEqual(stage.agents.told(), ['a violation no push 2', 'a dismiss']);
    assert.deepEqual(stage.seen, ['started violations']);
    await supervisor.stop();
  });

  test('that fails is restarted, and watches on', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.agents.add('a', { violations: [push] });
    stage.agents.faults = [new Error('the journal is gone')];
    await stage.pushes('a');
    await stage.pushes('a');
    // What it could not tell, the next one tells, and goes on with the count.
    assert.deepEqual(stage.agents.told(), ['a violation no push 1', 'a violation no push 2']);
    assert.deepEqual(stage.seen.slice(1), [
      'exited violations',
      'restarting violations',
      'started violations',
    ]);
    await supervisor.stop();
  });

  test('goes on with the count where the last owner was killed', async () => {
    const stage = new Stage();
    const killed = await stage.start();
    const rule: AgentRule = {
      name: 'children',
      action: 'log',
      when: { kind: 'too-many-children', max: 0 },
    };
    stage.agents.add('a', { violations: [push, rule] });
    stage.agents.add('b', { parent: 'a' });
    await stage.pushes('a', 13);
    await stage.clock.advance(MINUTE);
    const before = stage.agents.told().length;
    assert.deepEqual(stage.agents.told().slice(-2), [
      'a violation no push 10',
      'a violation children 1',
    ]);
    await killed.kill();
    stage.clock = new ManualClock(stage.clock.now() + 5000);
    const supervisor = await stage.start();
    await stage.pushes('a', 2);
    await stage.clock.advance(MINUTE);
    assert.equal(stage.said.at(-1), 'watches 2 agents, 16 violations');
    await stage.pushes('a', 1);
    assert.deepEqual(stage.agents.told().slice(before), ['a violation no push 16']);
    await supervisor.stop();
  });

  test('tells what the last owner had decided and could not tell, and nothing twice', async () => {
    const stage = new Stage();
    const killed = await stage.start();
    stage.agents.add('a', { violations: [{ ...push, action: 'reap' }] });
    const dies = (): Promise<never> => new Promise(() => undefined);
    const signal = stage.agents.signal.bind(stage.agents);
    stage.agents.signal = async (run, one) => {
      if (one.kind === 'dismiss') return dies();
      const fact = { type: 'signal.received', payload: { signal: one } } as const;
      await stage.journal.append(runStream(run), 0, [fact], stage.clock.now());
      return signal(run, one);
    };
    await stage.pushes('a');
    void killed.kill();
    stage.agents.signal = signal;
    const supervisor = await stage.start();
    await settle();
    assert.deepEqual(stage.agents.told(), ['a violation no push 1', 'a dismiss']);
    await supervisor.stop();
    const third = await stage.start();
    await settle();
    assert.equal(stage.agents.signals.length, 2);
    await third.stop();
  });
});
