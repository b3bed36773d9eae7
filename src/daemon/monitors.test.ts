import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededLuck } from '../base/luck.ts';
import { homeAt } from '../host/home.ts';
import { MemoryJournal } from '../store/memory/memory-journal.ts';
import { Supervisor } from '../supervision/index.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { WatchedAgents } from '../testing/watched-agents.ts';
import { Deeds } from './deeds.ts';
import { monitorsOf } from './monitors.ts';
import { WatchBook } from './watch-book.ts';

test('a monitor that dies comes back, and the others do not notice', async () => {
  const clock = new ManualClock();
  const deeds = new Deeds();
  const agents = new WatchedAgents();
  const seen: string[] = [];
  const notes = new Map<string, string>();
  const book = await WatchBook.open({ journal: new MemoryJournal(), clock });
  const children = monitorsOf(
    {
      home: homeAt('/nowhere', '/nowhere'),
      ownerId: 'tester',
      version: '1',
      pid: 1,
      clock,
      luck: seededLuck(1),
      node: 'node',
      agentEnv: {},
      env: {},
      log: () => {},
    },
    {
      deeds,
      agents,
      watches: () => book,
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
  deeds.tell(run, { kind: 'write', path: '/app/.supervisor/config.yaml' });
  await clock.advance(0);
  assert.deepEqual(seen.splice(0), [
    'exited violations',
    'restarting violations',
    'started violations',
  ]);
  deeds.tell(run, { kind: 'write', path: '/app/.supervisor/config.yaml' });
  await clock.advance(600_000);
  assert.deepEqual(agents.told(), [
    'a violation self-modification 1',
    'a dismiss',
    'a violation self-modification 2',
    'a dismiss',
  ]);
  assert.deepEqual([...notes.keys()].toSorted(), ['budget', 'health', 'violations']);
  await supervisor.stop();
  assert.deepEqual([clock.sleeping, agents.listening], [0, 0]);
});
