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

class Stage {
  clock = new ManualClock();
  readonly journal = new MemoryJournal();
  readonly deeds = new ActivityBus();
  readonly agents = new FakeAgents();
  readonly seen: string[] = [];
  readonly said: string[] = [];
  /** What the tree of the agent looks like now. */
  print: string | null = 'as it was';
  looks = 0;
  faults = 0;

  /** Each time another owner. */
  async start(): Promise<Supervisor> {
    const book = await MonitorStore.open({ journal: this.journal, clock: this.clock });
    const watches = (): MonitorStore => book;
    const child = healthChild({
      clock: this.clock,
      deeds: this.deeds,
      agents: this.agents,
      watches,
      printOf: async () => {
        this.looks += 1;
        if (this.faults-- > 0) throw new Error('the disk is gone');
        return this.print;
      },
      say: (note) => void this.said.push(note),
      log: () => {},
    });
    const observe = ({ kind, id }: { kind: string; id: string }): void =>
      void this.seen.push(`${kind} ${id}`);
    return Supervisor.start({ children: [child] }, { clock: this.clock, observe });
  }

  /** Half a minute in which an agent makes these calls, a letter each. */
  async round(run: string, calls: string): Promise<void> {
    const id = this.agents.add(run, this.#as(run));
    this.deeds.tell(id, { kind: 'turn-begun', folder: '/tree' });
    for (const call of calls.split('')) this.deeds.tell(id, { kind: 'call', call });
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
  test('says that an agent spins when it goes on with the same and nothing comes of it', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    await stage.round('a', 'xx'); // half of it: the tree is looked at
    assert.deepEqual([stage.agents.told(), stage.looks], [[], 1]);
    await stage.round('a', 'xx');
    assert.deepEqual(stage.agents.told(), ['a matter spinning']);
    assert.equal(stage.agents.notes.get('a' as never), 'spins: 4 times x');
    assert.equal(stage.said.at(-1), 'watches 1 agents, 1 of them not well');
    await stage.round('a', 'x'); // said once, until as many calls have come again
    assert.equal(stage.agents.signals.length, 1);
    await stage.round('a', 'xxx');
    assert.deepEqual(stage.agents.told(), ['a matter spinning', 'a matter spinning']);
    await supervisor.stop();
    assert.equal(stage.clock.sleeping, 0);
  });

  test('finds nothing in the same call where something comes of it', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    for (let round = 0; round < 20; round += 1) {
      stage.print = `changed ${round}`;
      await stage.round('a', 'xxx');
    }
    assert.deepEqual(stage.agents.signals, []);
    await supervisor.stop();
  });

  test('looks at no tree where nothing is suspected, and acts on none that is too large to tell', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    await stage.round('a', 'abcdefgh');
    await stage.round('a', 'ijklmnop');
    assert.equal(stage.looks, 0);
    stage.print = null;
    const before = stage.looks;
    for (let round = 0; round < 5; round += 1) await stage.round('a', 'xxxx');
    assert.notEqual(stage.looks, before);
    assert.deepEqual(stage.agents.signals, []);
    await supervisor.stop();
  });

  test('takes silence for nothing, however long', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    await stage.round('a', 'xxxxxxxx');
    await stage.clock.advance(86_400_000);
    assert.deepEqual(stage.agents.signals, []);
    await supervisor.stop();
  });

  const actions: [HealthPolicy['onSpin'], told: string[]][] = [
    ['none', []],
    ['notify', ['matter spinning']],
    ['steer', ['message']],
    ['pause', ['pause', 'matter spinning']],
    ['restart', ['trigger spinning']],
    ['reap', ['dismiss']],
  ];
  for (const [onSpin, told] of actions)
    test(`does as it was told about spinning: ${onSpin}`, async () => {
      const stage = new Stage();
      const supervisor = await stage.start();
      stage.agents.add('a', { health: { ...policy, onSpin } });
      await stage.round('a', 'xx');
      await stage.round('a', 'xx');
      assert.deepEqual(
        stage.agents.told(),
        told.map((word) => `a ${word}`),
      );
      await supervisor.stop();
    });

  test('who was told twice and goes on is a matter for others', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.agents.add('a', { health: { ...policy, onSpin: 'steer' } });
    for (let round = 0; round < 5; round += 1) await stage.round('a', 'xxxx');
    assert.deepEqual(stage.agents.told().slice(0, 3), [
      'a message',
      'a message',
      'a matter spinning',
    ]);
    await supervisor.stop();
  });

  test('prods who is quiet only where that was asked for, once, and only at work', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    const health = { ...policy, inactivity: { afterMs: 120_000, action: 'prod' as const } };
    stage.agents.add('a', { health });
    stage.agents.add('b', { health, state: 'waiting-input' });
    stage.agents.add('c', {
      health: { ...health, inactivity: { afterMs: 120_000, action: 'reap' } },
    });
    for (const run of ['a', 'b', 'c']) await stage.round(run, 'x');
    await stage.clock.advance(60_000);
    assert.deepEqual(stage.agents.told(), ['a message']);
    await stage.clock.advance(600_000);
    assert.deepEqual(stage.agents.told(), ['a message', 'c dismiss']);
    await stage.round('a', 'y');
    await stage.clock.advance(120_000);
    assert.deepEqual(stage.agents.told(), ['a message', 'c dismiss', 'a message']);
    await supervisor.stop();
  });

  test('begins anew with another life, and forgets who is gone', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    await stage.round('a', 'xxx');
    stage.agents.add('a', { health: policy, life: 2 });
    await stage.round('a', 'x');
    await stage.round('a', 'x');
    assert.deepEqual(stage.agents.signals, []);
    stage.agents.agents.clear();
    await stage.clock.advance(HEALTH_EVERY_MS);
    assert.equal(stage.said.at(-1), 'watches 0 agents');
    await supervisor.stop();
  });

  test('has nothing to do with plain runs', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    for (let n = 0; n < 50; n += 1) stage.deeds.tell('p' as never, { kind: 'call', call: 'x' });
    await stage.clock.advance(HEALTH_EVERY_MS);
    assert.deepEqual([stage.agents.signals, stage.looks], [[], 0]);
    await supervisor.stop();
  });

  test('that fails is restarted, and watches on', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.faults = 1;
    await stage.round('a', 'xx');
    assert.deepEqual(stage.seen, [
      'started health',
      'exited health',
      'restarting health',
      'started health',
    ]);
    await stage.round('a', 'xx');
    await stage.round('a', 'xx');
    assert.deepEqual(stage.agents.told(), ['a matter spinning']);
    await supervisor.stop();
  });

  test('goes on with the count where the last owner was killed', async () => {
    const stage = new Stage();
    const killed = await stage.start();
    stage.agents.add('a', { health: { ...policy, onSpin: 'steer' } });
    for (const calls of ['xx', 'xx', 'xxxx', 'xx']) await stage.round('a', calls);
    assert.deepEqual(stage.agents.told(), ['a message', 'a message']);
    await killed.kill();
    stage.clock = new ManualClock(stage.clock.now() + 5000);
    const supervisor = await stage.start();
    await stage.round('a', 'x');
    assert.equal(stage.agents.signals.length, 2);
    await stage.round('a', 'x'); // the fourth since it was told, and it was told twice before
    assert.deepEqual(stage.agents.told().slice(2), ['a matter spinning']);
    assert.equal(stage.agents.notes.get('a' as never), 'spins: 8 times x');
    await supervisor.stop();
  });

  test('knows where an agent works when it has failed itself in the middle of a turn', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    stage.faults = 1;
    await stage.round('a', 'xx');
    for (const calls of ['xx', 'xx']) {
      for (const call of calls) stage.deeds.tell('a' as never, { kind: 'call', call });
      await stage.clock.advance(HEALTH_EVERY_MS);
    }
    assert.deepEqual(stage.agents.told(), ['a matter spinning']);
    await supervisor.stop();
  });
});
