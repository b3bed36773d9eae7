import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../base/random.ts';
import { homeAt } from '../../host/machine/state-home.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { Supervisor } from '../../supervision/index.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { FakeAgents } from '../../../test/support/fake-agents.ts';
import { ActivityBus } from './activity-bus.ts';
import { startMonitors } from './start-monitors.ts';
import { MonitorStore } from './monitor-store.ts';

test('a monitor that fails is restarted, and the others are not affected', async () => {
  const clock = new ManualClock();
  const activityBus = new ActivityBus();
  const agents = new FakeAgents();
  const seen: string[] = [];
  const notes = new Map<string, string>();
  const book = await MonitorStore.open({ journal: new MemoryJournal(), clock });
  const children = startMonitors(
    {
      home: homeAt('/nowhere', '/nowhere'),
      ownerId: 'tester',
      version: '1',
      pid: 1,
      clock,
      random: seededRandom(1),
      node: 'node',
      agentEnv: {},
      env: {},
      log: () => {},
    },
    {
      activityBus,
      agents,
      store: () => book,
      note: (monitor, words) => void notes.set(monitor, words),
    },
  );
  const observe = ({ kind, id }: { kind: string; id: string }): void =>
    void seen.push(`${kind} ${id}`);
  const supervisor = await Supervisor.start({ children }, { clock, observe });
  const names = ['health', 'budget', 'violations', 'gang'];
  assert.deepEqual(
    seen.splice(0),
    names.map((name) => `started ${name}`),
  );
  const run = agents.add('a');
  agents.faults = [new Error('the journal is gone')];
  activityBus.publish(run, { kind: 'write', path: '/app/.supervisor/config.yaml' });
  await clock.advance(0);
  assert.deepEqual(seen.splice(0), [
    'exited violations',
    'restarting violations',
    'started violations',
  ]);
  activityBus.publish(run, { kind: 'write', path: '/app/.supervisor/config.yaml' });
  await clock.advance(600_000);
  assert.deepEqual(agents.sentSignals(), [
    'a violation self-modification 1',
    'a dismiss',
    'a violation self-modification 2',
    'a dismiss',
  ]);
  assert.deepEqual([...notes.keys()].toSorted(), ['budget', 'health', 'violations']);
  await supervisor.stop();
  assert.deepEqual([clock.sleeping, agents.listening], [0, 0]);
});
