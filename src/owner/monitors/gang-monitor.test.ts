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

class MonitorHarness {
  clock = new ManualClock();
  readonly journal = new MemoryJournal();
  readonly agents = new FakeAgents();

  /** Each call starts another owner. */
  async start(): Promise<Supervisor> {
    const book = await MonitorStore.open({ journal: this.journal, clock: this.clock });
    const store = (): MonitorStore => book;
    const { clock, agents } = this;
    const child = gangChild({ clock, agents, store, report: () => {}, log: () => {} });
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
const all = { triggers: { ...DEFAULT_TRIGGERS, onGang: 'restart-all' as const } };

describe('children that fail together', () => {
  test('all restart if that is declared, and no other agent does', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    for (const run of ['a', 'b', 'c', 'd'])
      harness.agents.add(run, { ...all, supervisor: 'agents/team' });
    harness.agents.add('e', { ...all, supervisor: 'agents' });
    harness.agents.add('f', { ...all, supervisor: 'agents/team', project: '/other' });
    await harness.fail('a', 'b', 'e', 'f');
    assert.deepEqual(harness.agents.sentSignals(), []);
    await harness.fail('c');
    const expected = ['a', 'b', 'c', 'd'].map((run) => `${run} trigger gang`);
    assert.deepEqual(harness.agents.sentSignals(), expected);
    // The restarts end them once more, and this is not another gang.
    await harness.fail('a', 'b', 'c', 'd');
    assert.deepEqual(harness.agents.sentSignals(), expected);
    await supervisor.stop();
    assert.equal(harness.agents.listening, 0);
  });

  test('lead to one question if a person decides', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    for (const run of ['a', 'b', 'c']) harness.agents.add(run, team);
    await harness.fail('a', 'b', 'c');
    assert.deepEqual(harness.agents.sentSignals(), ['a trigger gang']);
    await supervisor.stop();
  });

  test('are no gang if nothing groups them', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    for (const run of ['a', 'b', 'c', 'd']) harness.agents.add(run, { supervisor: 'agents/pool' });
    await harness.fail('a', 'b', 'c');
    assert.deepEqual(harness.agents.sentSignals(), []);
    await supervisor.stop();
  });

  test('are a gang if they have the same parent', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    const pooled = { supervisor: 'agents/pool', parent: 'p' };
    for (const run of ['a', 'b', 'c']) harness.agents.add(run, pooled);
    await harness.fail('a', 'b', 'c');
    assert.deepEqual(harness.agents.sentSignals(), ['a trigger gang']);
    await supervisor.stop();
  });

  test('lead to a question as soon as one of them is alive', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    const exit = { kind: 'failed', reason: 'crashed' } as const;
    for (const run of ['a', 'b', 'c']) harness.agents.add(run, { ...team, exit });
    await harness.fail('a', 'b', 'c');
    await harness.clock.advance(20 * SECOND);
    assert.deepEqual(harness.agents.sentSignals(), []);
    harness.agents.add('b', team);
    await harness.clock.advance(20 * SECOND);
    assert.deepEqual(harness.agents.sentSignals(), ['b trigger gang']);
    await supervisor.stop();
    assert.equal(harness.clock.sleeping, 0);
  });

  test('are no gang if one fails repeatedly, if it takes too long, or if they were asked to end', async () => {
    const harness = new MonitorHarness();
    const supervisor = await harness.start();
    for (const run of ['a', 'b', 'c']) harness.agents.add(run, team);
    await harness.fail('a', 'a', 'a', 'a');
    await harness.fail('b');
    await harness.clock.advance(400 * SECOND);
    await harness.fail('c', 'b');
    for (const kind of ['normal', 'shutdown'] as const) harness.agents.exit('a', { kind });
    await harness.clock.advance(SECOND);
    assert.deepEqual(harness.agents.sentSignals(), []);
    await supervisor.stop();
  });

  test('are a gang even if some failed under an owner that was killed, and are reported once', async () => {
    const harness = new MonitorHarness();
    for (const run of ['a', 'b', 'c', 'd']) harness.agents.add(run, team);
    const kills = async (supervisor: Supervisor): Promise<Supervisor> => {
      await supervisor.kill();
      harness.clock = new ManualClock(harness.clock.now() + 5 * SECOND);
      return harness.start();
    };
    const first = await harness.start();
    await harness.fail('a', 'b');
    const second = await kills(first);
    await harness.fail('c');
    assert.deepEqual(harness.agents.sentSignals(), ['a trigger gang']);
    const third = await kills(second);
    await harness.fail('a', 'b', 'd');
    assert.equal(harness.agents.signals.length, 1);
    await third.stop();
  });
});
