import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_TRIGGERS } from '../../monitors/triggers.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { Supervisor } from '../../supervision/index.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { FakeAgents } from '../../../test/support/fake-agents.ts';
import { gangChild } from './gang-monitor.ts';
import { MonitorStore } from './monitor-store.ts';

const SECOND = 1000;

class Stage {
  clock = new ManualClock();
  readonly journal = new MemoryJournal();
  readonly agents = new FakeAgents();

  /** Each time another owner. */
  async start(): Promise<Supervisor> {
    const book = await MonitorStore.open({ journal: this.journal, clock: this.clock });
    const watches = (): MonitorStore => book;
    const { clock, agents } = this;
    const child = gangChild({ clock, agents, watches, say: () => {}, log: () => {} });
    return Supervisor.start({ children: [child] }, { clock });
  }

  async fail(...runs: readonly string[]): Promise<void> {
    for (const run of runs) {
      this.agents.exit(run, { kind: 'failed', reason: 'crashed' });
      await this.clock.advance(SECOND);
    }
  }
}

const team = { supervisor: 'agents/team' };
const all = { cut: { ...DEFAULT_TRIGGERS, onGang: 'restart-all' as const } };

describe('children that fail together', () => {
  test('all begin again where that is declared, and nobody else does', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    for (const run of ['a', 'b', 'c', 'd'])
      stage.agents.add(run, { ...all, supervisor: 'agents/team' });
    stage.agents.add('e', { ...all, supervisor: 'agents' });
    stage.agents.add('f', { ...all, supervisor: 'agents/team', project: '/other' });
    await stage.fail('a', 'b', 'e', 'f');
    assert.deepEqual(stage.agents.told(), []);
    await stage.fail('c');
    const told = ['a', 'b', 'c', 'd'].map((run) => `${run} trigger gang`);
    assert.deepEqual(stage.agents.told(), told);
    // What is done about it ends them once more, and is not another gang.
    await stage.fail('a', 'b', 'c', 'd');
    assert.deepEqual(stage.agents.told(), told);
    await supervisor.stop();
    assert.equal(stage.agents.listening, 0);
  });

  test('are one question where a person is to be asked', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    for (const run of ['a', 'b', 'c']) stage.agents.add(run, team);
    await stage.fail('a', 'b', 'c');
    assert.deepEqual(stage.agents.told(), ['a trigger gang']);
    await supervisor.stop();
  });

  test('are none where nobody has put them together', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    for (const run of ['a', 'b', 'c', 'd']) stage.agents.add(run, { supervisor: 'agents/pool' });
    await stage.fail('a', 'b', 'c');
    assert.deepEqual(stage.agents.told(), []);
    await supervisor.stop();
  });

  test('are one when they have one parent', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    const pooled = { supervisor: 'agents/pool', parent: 'p' };
    for (const run of ['a', 'b', 'c']) stage.agents.add(run, pooled);
    await stage.fail('a', 'b', 'c');
    assert.deepEqual(stage.agents.told(), ['a trigger gang']);
    await supervisor.stop();
  });

  test('are asked about as soon as one of them lives', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    const exit = { kind: 'failed', reason: 'crashed' } as const;
    for (const run of ['a', 'b', 'c']) stage.agents.add(run, { ...team, exit });
    await stage.fail('a', 'b', 'c');
    await stage.clock.advance(20 * SECOND);
    assert.deepEqual(stage.agents.told(), []);
    stage.agents.add('b', team);
    await stage.clock.advance(20 * SECOND);
    assert.deepEqual(stage.agents.told(), ['b trigger gang']);
    await supervisor.stop();
    assert.equal(stage.clock.sleeping, 0);
  });

  test('are none when one fails again and again, when it takes too long, or when they were told to leave', async () => {
    const stage = new Stage();
    const supervisor = await stage.start();
    for (const run of ['a', 'b', 'c']) stage.agents.add(run, team);
    await stage.fail('a', 'a', 'a', 'a');
    await stage.fail('b');
    await stage.clock.advance(400 * SECOND);
    await stage.fail('c', 'b');
    for (const kind of ['normal', 'shutdown'] as const) stage.agents.exit('a', { kind });
    await stage.clock.advance(SECOND);
    assert.deepEqual(stage.agents.told(), []);
    await supervisor.stop();
  });

  test('are one where some of them failed under an owner that was killed, and it is said once', async () => {
    const stage = new Stage();
    for (const run of ['a', 'b', 'c', 'd']) stage.agents.add(run, team);
    const kills = async (supervisor: Supervisor): Promise<Supervisor> => {
      await supervisor.kill();
      stage.clock = new ManualClock(stage.clock.now() + 5 * SECOND);
      return stage.start();
    };
    const first = await stage.start();
    await stage.fail('a', 'b');
    const second = await kills(first);
    await stage.fail('c');
    assert.deepEqual(stage.agents.told(), ['a trigger gang']);
    const third = await kills(second);
    await stage.fail('a', 'b', 'd');
    assert.equal(stage.agents.signals.length, 1);
    await third.stop();
  });
});
